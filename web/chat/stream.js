// Server-sent events out of a response's body.

/** The next piece of a body; none where the connection broke, which whoever waits for the last event notices. */
async function piece(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { done: true };
  }
}

/** The events of a response as they come, each `{name, data}`; comments and incomplete ends are left out. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await piece(reader);
    if (done) return;
    buffer += value;
    const complete = buffer.split("\n\n");
    buffer = complete.pop();
    for (const block of complete) {
      const fields = block.split("\n");
      const name = fields.find((field) => field.startsWith("event: "))?.slice(7);
      const data = fields.find((field) => field.startsWith("data: "))?.slice(6);
      if (name && data) yield { name, data: JSON.parse(data) };
    }
  }
}
