import { createParser, type EventSourceMessage } from "eventsource-parser";
import { BASE_PATH, type JsonObject } from "../../setup/http/http.ts";
import type { LoggedIn, Manage } from "../with_manage.ts";

/** An open event stream. */
export interface FollowedCompany {
  status: number;
  headers: Headers;
  /** The events that have arrived so far. */
  events: { event: string; id: string | undefined; data: JsonObject }[];
  /** The id that a browser would send when it reconnects. */
  lastId(): string | undefined;
  /** Resolves once the server has ended it. */
  ended: Promise<void>;
  leave(): Promise<void>;
}

/** Follows a company as a browser does. */
export async function followCompany(
  { app, company }: Pick<Manage, "app"> & { company: { id: string } },
  { token }: LoggedIn,
  headers: Record<string, string> = {},
): Promise<FollowedCompany> {
  const response = await app.fetch(
    new Request(`http://localhost${BASE_PATH}/manage/companies/${company.id}/events`, {
      headers: { accept: "text/event-stream", authorization: `Bearer ${token}`, ...headers },
    }),
  );
  const events: FollowedCompany["events"] = [];
  const parser = createParser({
    onEvent: ({ event = "", id, data }: EventSourceMessage) =>
      void events.push({ event, id, data: JSON.parse(data) }),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const ended = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) parser.feed(part.value);
  })();
  return {
    status: response.status,
    headers: response.headers,
    events,
    lastId: () => events.findLast(({ id }) => id !== undefined)?.id,
    ended,
    leave: async () => {
      await reader.cancel();
      await ended;
    },
  };
}
