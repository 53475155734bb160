/**
 * Reads at most `limit` bytes of an answer as JSON. Undefined when it is longer, cut off by the network or no JSON: in
 * front of the platform stand proxies with pages of their own.
 */
export async function readJson(response: Response, limit: number): Promise<unknown> {
  try {
    const text = await readText(response, limit);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText(response: Response, limit: number): Promise<string | undefined> {
  if (response.body === null) return undefined;
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  // Returning early cancels the body, which drops the connection instead of draining it.
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
