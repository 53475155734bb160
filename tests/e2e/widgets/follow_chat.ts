import { createParser, type EventSourceMessage } from "eventsource-parser";
import { eventually } from "../../setup/eventually.ts";
import { BASE_PATH, type JsonObject, type TestRequestOptions } from "../../setup/http/http.ts";

export interface FollowedChat {
  status: number;
  headers: Headers;
  /** The events that have arrived so far: name, id and data. */
  events: { event: string; id: string | undefined; data: JsonObject }[];
  /** The body as it came. */
  raw(): string;
  /** Waits until `count` messages have arrived and returns their texts. */
  texts(count: number): Promise<string[]>;
  /** Resolves once the server has ended it. */
  ended: Promise<void>;
  leave(): Promise<void>;
}

/** Reads a conversation's events over a socket, as a page does. */
export async function followChat(
  url: string,
  conversationId: string,
  { headers = {}, query = {} }: TestRequestOptions,
): Promise<FollowedChat> {
  const address = `${url}${BASE_PATH}/widget/conversations/${conversationId}/events`;
  const controller = new AbortController();
  const response = await fetch(`${address}?${new URLSearchParams(query)}`, {
    headers,
    signal: controller.signal,
  });
  const events: FollowedChat["events"] = [];
  let raw = "";
  const parser = createParser({
    onEvent: ({ event = "", id, data }: EventSourceMessage) =>
      void events.push({ event, id, data: JSON.parse(data) }),
  });
  const ended = (async () => {
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      raw += text;
      parser.feed(text);
    }
  })();
  const quietly = ended.catch(() => {});
  return {
    status: response.status,
    headers: response.headers,
    events,
    raw: () => raw,
    texts: (count) =>
      eventually(() => {
        const texts = events.flatMap(({ event, data }) => event === "message" ? [data.text as string] : []);
        if (texts.length < count) throw new Error(`${texts.length} of ${count} messages: ${raw}`);
        return texts;
      }),
    ended,
    leave: async () => {
      controller.abort();
      await quietly;
    },
  };
}
