"""Instructions to the service wrapped around a question: they are data, never followed.

The catalogue's answers cannot be talked into anything; all this does is keep an instruction's words from being
mistaken for part of the question.
"""

from __future__ import annotations

import re

_MARKERS = re.compile(
    r"""
    (?:^|[\s"'“「\[<(])(?:system|assistant|developer|root|admin)\s*(?:prompt)?\s*[:：>\]]
  | \[/?inst\] | <\|?/?(?:im_start|im_end|system|user|assistant)\|?> | \#{2,}\s*(?:system|instruction|new\ task)
  | (?:ignore|disregard|forget|override|bypass)\b[^.。!！?？\n]{0,40}\b(?:instruction|instructions|prompt|prompts|rules|above|previous|prior|guidelines|guardrails|everything|constraints|catalogue|catalog|sources?)
  | (?:debug|developer|god|dan|jailbreak|maintenance|admin|sudo)\s+mode | jailbr[eo]ak
  | (?:print|reveal|show|repeat|output|leak|dump|display|disclose|send|expose|tell\s+me)\b[^.。!！?？,，\n]{0,40}\b(?:system\s+prompt|prompt|instructions|api\s*keys?|passwords?|secrets?|credentials?|environment\s+variables|env)
  | (?:you\s+are\s+now|from\s+now\s+on|pretend|act\s+as|role\s*-?play|simulate|imagine\s+you)\b
  | (?:do|follow)\s+(?:exactly\s+)?(?:what|as)\s+(?:it|the\s+page|the\s+text|the\s+document)\s+says | as\s+instructed | new\s+instructions?\s*[:：]
  | (?:answer|reply|respond|say|write|claim|state|insist|output)\b[^.。!！?？\n]{0,12}\b(?:only\s+with|always|nothing\s+but|exactly|in\s+base64|without\s+(?:citing|sources?|citations?)|that)\b
  | (?:the|this)\s+(?:following\s+)?(?:web\s*page|page|document|email|text|article|website|passage)(?:\s+content)?\s+(?:below\s+)?(?:says|said|tells|instructs)
  | (?:忽略|无视|忘记|忘掉|抛开|不要理会|绕过|跳过|覆盖)[^。！？\n]{0,16}(?:指令|提示|规则|设定|要求|内容|对话|限制|约束|上文|以上|上面|之前|前面|所有|目录|来源|资料)
  | (?:系统|开发者|调试|越狱|管理员|上帝)\s*(?:模式|提示词|提示|指令|消息|权限)
  | (?:输出|打印|泄露|显示|告诉我|公开|发送|展示|复述|重复)[^。！？，,\n]{0,16}(?:系统提示|提示词|prompt|密钥|api\s*key|密码|口令|指令|内部规则|环境变量)
  | (?:从现在(?:开始|起)|现在你是|你现在是|假装|假设你是|扮演|你是一(?:个|只|名|位)|进入角色)
  | (?:请)?照做 | 按(?:照)?(?:上面|下面|其中|网页|文中|它|里面)[^。！？，,\n]{0,10}(?:说的)?(?:做|执行|操作) | 必须(?:回答|说|声称|输出) | 只(?:能|许|准|要)?(?:回答|回复|输出|说)[“"「'‘]
  | (?:下面|以下|上面|这)(?:这)?(?:段|篇|个|份|一段)?(?:网页|页面|文档|邮件|文本|内容|文字|网站|资料)[^。！？，,\n]{0,8}(?:说|写|称|要求|提到|指示)
  | 新(?:的)?(?:指令|任务|规则)\s*[:：是为]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[。！？!?；;\n，,]|\.(?=\s|$)|[：:](?=\s)")
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"]*\"|‘[^’]*’|<!--.*?-->", re.DOTALL)
_TURN = re.compile(r"\b(?:and|then|also|but|afterwards?|finally)\b|然后|之后再|接着|再|并且|并|顺便|另外|最后", re.IGNORECASE)


def unwrap(text: str) -> tuple[str, bool]:
    """The question with instructions to the service blanked, length kept, and whether there were any."""
    found = list(_MARKERS.finditer(text))
    if not found:
        return text, False
    chars = list(text)
    for quote in _QUOTED.finditer(text):
        _blank(chars, quote.start(), quote.end())
    for match in found:
        start, end = _clause(text, match.start(), match.end())
        turn = next((t for t in _TURN.finditer(text, match.end(), end)), None)
        _blank(chars, start, turn.end() if turn else end)
    return "".join(chars), True


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    begin = 0
    for match in _CLAUSE_END.finditer(text, 0, start):
        begin = match.end()
    after = _CLAUSE_END.search(text, end)
    return begin, after.end() if after else len(text)


def _blank(chars: list[str], start: int, end: int) -> None:
    for i in range(start, end):
        if chars[i] not in "。！？!?\n":
            chars[i] = " "
