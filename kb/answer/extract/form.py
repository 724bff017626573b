"""The form of answer that a question wants: a list, a command, an explanation, a yes or no."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_NO_NOUN: Final = (
    r"(?!(?:is|was|does|has|this|its|series|class|bus|loss|access|process|address|status|gives|gets|uses|needs|limits"
    r"|shows|makes|replaces|tunes|adds|controls|sets|holds|costs|supports|runs|works|means|takes|changes|enables)\b)"
)
_LIST: Final = re.compile(
    r"哪些|哪几|哪[两三四五六][个种款张块项类]|有什么(?!不同|区别|用|好处)|包括|包含|列出|步骤|顺序|流程"
    r"|^list\b|\ba list of\b|\bsteps\b"
    rf"|\b(?:which|what) {_NO_NOUN}(?:{_NO_NOUN}[\w.-]+ ){{0,2}}{_NO_NOUN}\w{{3,}}s\b",
    re.IGNORECASE,
)
_HOW: Final = re.compile(
    r"怎么(?!样)|如何|怎样|命令(?!行)|\bhow (?:do|can|to|should)\b|\bcommand(?![ -]line)", re.IGNORECASE
)
_LITERAL: Final = re.compile(
    r"命令|指令|[哪什]\S{0,2}(?:参数|选项|变量)|环境变量|设成|\bcommand|\bflags?\b|\bsettings?\b|\bvariables?\b|\boptions?\b"
    r"|\bconfig(?:uration)?s?\b",
    re.IGNORECASE,
)
_OUTPUT: Final = re.compile(
    r"输出|打印|样例|示例里|例子里|截图|显示的|显示了|\b(?:sample|example)s?\b|\boutputs?\b|\bprint(?:s|ed)?\b|\bscreenshot\b",
    re.IGNORECASE,
)
_COUNT: Final = re.compile(r"(?:几|多少)[个张块条路种枚颗组台座项款行]|\bhow many\b", re.IGNORECASE)
_SINCE: Final = re.compile(
    r"(?:从|自)[^，。？?]{0,14}?(?:哪|什么)[^，。？?]{0,12}?(?:版本|版)?\S{0,4}(?:起|开始)|哪个?\S{0,8}(?:版本|版)\S{0,4}(?:起|开始|首次|才|不再|最后)"
    r"|\b(?:since|from|starting with|as of|until) (?:which|what)\b"
    r"|\b(?:which|what)\b.*\b(?:first|last|still|no longer|start(?:s|ed)?|drop(?:s|ped)?)\b"
    r"|\b(?:which|what)\b[^?]*\b(?:releases?|versions?)\b[^?]*\b(?:add(?:s|ed)?|introduc\w+|fix(?:es|ed)?|remov\w+)\b"
    r"|哪个?\S{0,8}(?:版本|版)\S{0,10}(?:加入|新增|增加|引入|修复|移除|去掉|弃用)",
    re.IGNORECASE,
)
_YES_NO: Final = re.compile(
    r"吗|是否|能否|可否|是不是|有没有|能不能|会不会|要不要"
    r"|(?:^|[.?!,:]\s+)(?:does|do|did|is|are|was|were|can|could|should|will|has|have)\b",
    re.IGNORECASE,
)
_EXPLANATION: Final = re.compile(
    r"为什么|为何|原因|区别|差别|不同|是什么(?!版本|型号|时候)|什么是|什么意思|指什么|原理|怎么办|如何|怎么|怎样"
    r"|\bwhy\b|\bwhat (?:is|are|does)\b.*\b(?:mean|do)\b|\bdifferen"
    r"|\bwhat (?:is|are) (?:an? |the )?[\w.+-]+(?: [\w.+-]+)?(?:\?|$| and\b)"
    r"|\bhow (?:do|does|did|can|should|to)\b|\bexplain",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Form:
    """What a question wants to get.

    Attributes:
        amount: it asks how much, so that a figure must answer, not a word such as `two`.
        instruction: it asks how to do something, so that figures in it are no figures asked for.
        items: several things.
        command: a command, a setting, a name to type, perhaps as the way to do something.
        literal: the same, and it says so.
        output: what a program printed.
        count: how many there are of something.
        since: the first or the last version of which something is true.
        explanation: more than one sentence.
        yes_or_no: a yes or a no.
    """

    amount: bool
    instruction: bool
    items: bool
    command: bool
    literal: bool
    output: bool
    count: bool
    since: bool
    explanation: bool
    yes_or_no: bool

    @classmethod
    def of(cls, question: str) -> Form:
        """Read it off a question's words."""
        return cls(
            amount="how much" in question.lower(),
            instruction=_HOW.search(question) is not None,
            items=_LIST.search(question) is not None,
            command=any(pattern.search(question) for pattern in (_HOW, _LITERAL)),
            literal=_LITERAL.search(question) is not None,
            output=_OUTPUT.search(question) is not None,
            count=_COUNT.search(question) is not None,
            since=_SINCE.search(question) is not None,
            explanation=_EXPLANATION.search(question) is not None,
            yes_or_no=_YES_NO.search(question) is not None,
        )
