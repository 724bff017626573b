// The words of the page in both languages, and which of them are shown.

const KEY = "gpukb.language";

const WORDS = {
  zh: {
    tagline: "关于 GPU 的问题，以准确的数值、单位和出处作答。",
    skip: "跳到提问框", question: "问题", ask: "提问", placeholder: "问问 GPU",
    hint: "Enter 发送 · Shift+Enter 换行 · Esc 停止", send: "发送", stop: "停止", examples: "例如",
    conversations: "对话", fresh: "新对话", search: "搜索对话", none: "还没有对话，问过的都会留在这个浏览器里。",
    nothing: "没有匹配的对话。", export: "导出", removeAll: "全部删除", remove: "删除", api: "API 文档",
    sureRemove: "删除这个对话？", sureRemoveAll: "删除这个浏览器里的全部对话？", open: "打开对话列表", close: "关闭对话列表",
    log: "对话内容", you: "问题", other: "English", otherLabel: "Switch to English",
    reading: "正在理解问题…", searching: "正在查找…", writing: "正在作答…", checking: "正在核对数值…", working: "请稍候…",
    complete: "回答完毕", stopped: "已停止", failed: "没有得到回答", retry: "重试", unreachable: "连接不上服务，请确认它正在运行。",
    building: "索引正在打开或建立，请稍候。", broken: "回答在中途断开了。", full: "浏览器的存储空间已满，最早的对话已被删除。",
    unsaved: "浏览器不允许保存，对话只在本页保留。",
    sources: "出处", more: "另有 {n} 处", source: "出处", page: "第 {n} 页", copy: "复制为 Markdown", copied: "已复制",
    uncopied: "无法复制", time: "{ms} 毫秒", stage: "阶段", ms: "毫秒", total: "合计", seen: "浏览器所见",
    generation: "索引", model: "作答", device: "设备", warnings: "提示", extract: "摘录（不用语言模型）",
    best: "最高", least: "最低", chart: "图", metric: "图中的数值", documents: "{n} 篇文档",
    reasons: {
      no_evidence: "资料里没有依据", out_of_scope: "不在回答范围内", unknown_gpu: "没有这个型号的资料",
      not_published: "没有公开的数值", ambiguous: "这个名字指不止一款", false_premise: "问题的前提不对",
      conflicting_sources: "各家来源不一致", llm_unavailable: "语言模型不可用，以下为摘录",
    },
    no_answer: "没有回答", partial: "只回答了一部分",
    stages: {
      queue: "排队", resolve: "理解问题", embed: "向量化", dense: "向量检索", sparse: "词检索", fuse: "合并",
      rerank: "重排", compose: "组织答案", first_token: "首个词", generate: "生成", verify: "核对数值",
    },
    questions: [
      "T4 的显存带宽是多少？", "对比 H100 SXM5、H200 SXM 和 MI300X", "显存至少 48 GB、功耗不到 300 W 的卡有哪些？",
      "70B 模型 FP8 推理需要几张 H100？", "H800 的 NVLink 带宽是多少？", "MIG 是什么？",
    ],
  },
  en: {
    tagline: "Questions about GPUs, answered with the exact figure, its unit and its source.",
    skip: "Skip to the question", question: "Question", ask: "Ask", placeholder: "Ask about GPUs",
    hint: "Enter sends · Shift+Enter breaks the line · Esc stops", send: "Send", stop: "Stop", examples: "For example",
    conversations: "Conversations", fresh: "New conversation", search: "Search conversations",
    none: "None yet. What you ask is kept in this browser only.",
    nothing: "No conversation matches.", export: "Export", removeAll: "Delete all", remove: "Delete", api: "API",
    sureRemove: "Delete this conversation?", sureRemoveAll: "Delete all conversations in this browser?",
    open: "Open the conversations", close: "Close the conversations",
    log: "Conversation", you: "Question", other: "中文", otherLabel: "切换到中文",
    reading: "Reading the question…", searching: "Searching…", writing: "Writing…", checking: "Checking the figures…",
    working: "One moment…",
    complete: "Answer complete", stopped: "Stopped", failed: "No answer came", retry: "Try again",
    unreachable: "The service cannot be reached. Check that it is running.",
    building: "The index is being opened or built. One moment.",
    broken: "The answer broke off halfway.", full: "The browser's storage was full; the oldest conversations were deleted.",
    unsaved: "The browser does not allow saving; conversations last as long as this page.",
    sources: "Sources", more: "{n} more", source: "Source", page: "page {n}", copy: "Copy as Markdown",
    copied: "Copied", uncopied: "Cannot copy", time: "{ms} ms", stage: "Stage", ms: "ms", total: "Total",
    seen: "Seen by the browser", generation: "Index", model: "Written by", device: "Device", warnings: "Notes",
    extract: "extraction (no chat model)", best: "highest", least: "lowest", chart: "Chart", metric: "Figure in the chart",
    documents: "{n} documents",
    reasons: {
      no_evidence: "The documents say nothing on this", out_of_scope: "Outside what can be answered",
      unknown_gpu: "No such card on record", not_published: "No figure is published", ambiguous: "The name means several cards",
      false_premise: "The question's premise is wrong", conflicting_sources: "The sources disagree",
      llm_unavailable: "The chat model is unavailable; this is extracted",
    },
    no_answer: "Not answered", partial: "Answered in part",
    stages: {
      queue: "Queue", resolve: "Reading the question", embed: "Embedding", dense: "Dense search", sparse: "Word search",
      fuse: "Fusion", rerank: "Reranking", compose: "Composing", first_token: "First token", generate: "Generating",
      verify: "Checking figures",
    },
    questions: [
      "What is the memory bandwidth of the T4?", "Compare H100 SXM5, H200 SXM and MI300X",
      "Which cards have at least 48 GB and draw under 300 W?", "How many H100s does a 70B model need for FP8 inference?",
      "NVLink bandwidth of the H800", "What is MIG?",
    ],
  },
};

function chosen() {
  try {
    const kept = localStorage.getItem(KEY);
    if (kept in WORDS) return kept;
  } catch { /* A browser that keeps nothing has chosen nothing. */ }
  const wanted = navigator.languages.find((tag) => /^(zh|en)\b/i.test(tag)) ?? "en";
  return wanted.slice(0, 2).toLowerCase();
}

let current = chosen();

/** The language shown: "zh" or "en". */
export const language = () => current;

/** The words under a name; `{n}` and the like are filled in. */
export function words(name, values = {}) {
  const found = WORDS[current][name];
  if (typeof found !== "string") return found;
  return found.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

/** The other language from here on; kept for the next visit. */
export function switchLanguage() {
  current = current === "zh" ? "en" : "zh";
  try {
    localStorage.setItem(KEY, current);
  } catch { /* Holds for this page then. */ }
}

/** Put the words into the page: `data-text` for the content, `data-label`, `data-placeholder` and `data-title`. */
export function translate(root) {
  document.documentElement.lang = current === "zh" ? "zh-CN" : "en";
  for (const node of root.querySelectorAll("[data-text]")) node.textContent = words(node.dataset.text);
  for (const node of root.querySelectorAll("[data-label]")) node.setAttribute("aria-label", words(node.dataset.label));
  for (const node of root.querySelectorAll("[data-title]")) node.title = words(node.dataset.title);
  for (const node of root.querySelectorAll("[data-placeholder]")) node.placeholder = words(node.dataset.placeholder);
}
