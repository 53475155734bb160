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
  const announced = Number(response.headers.get("content-length") ?? NaN);
  // A sender lives on this path: chunk by chunk, an answer costs nearly twice as much.
  if (announced <= limit && !response.headers.has("content-encoding")) return await response.text();
  return response.body === null ? undefined : await readChunks(response.body, limit);
}

async function readChunks(body: ReadableStream<Uint8Array>, limit: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  // Returning early cancels the body, which drops the connection instead of draining it.
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
