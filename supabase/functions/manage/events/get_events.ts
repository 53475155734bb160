import { z } from "@hono/zod-openapi";
import type { CompanyFeed, CompanyUpdate } from "../../_shared/company_events/company_feed.ts";
import { formatCursor, readCursor } from "../../_shared/company_events/cursor.ts";
import type { EndReason } from "../../_shared/concurrency/feed.ts";
import type { ChangeCursor } from "../../_shared/db/access/company_changes.ts";
import { AppError, badFormat } from "../../_shared/errors.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import { respondEvents } from "../../_shared/http/app/event_stream.ts";
import { addCompanyRoute } from "../company_route.ts";
import { type CompanyEvent, companyEventSchema } from "./event_schemas.ts";
import { companyEventSource } from "./event_source.ts";
import { testField } from "../../_shared/http/app/list_page.ts";

const DISPLACED_WAIT_S = 5;

const CURSOR_FORMAT = "the id of an event, or `next`";

const cursorParam = z.string().regex(/^([0-9a-f]{16}-\d{1,18})?$/, CURSOR_FORMAT).optional().openapi({
  description: CURSOR_FORMAT,
  example: "9f86d081884c7d65-73451",
});

const responseSchema = z.object({
  events: z.array(companyEventSchema),
  ...testField,
  reset: z.boolean().openapi({ description: "More happened than is listed: read your lists anew" }),
  next: z.string().openapi({ description: "Give it as `after` to read on" }),
}).openapi("CompanyEvents");

/** `GET …/events` streams or lists what changes in a company. */
export function registerGetEvents(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/events",
    operationId: "followCompany",
    summary: "Follow what changes",
    description:
      "With `Accept: text/event-stream`, server-sent events: `ready`, then `campaign`, `upload`, `sender`, `template`, `call`, " +
      "`conversation`, `message`, `handoff` and `delivery` (one that failed), each with the state as it is now, and " +
      "`reset` when you have to read your lists anew. Ends by itself after about 100 seconds. Reconnect with " +
      "`Last-Event-ID`, or `after` in the query, to miss nothing; you may get an event twice. Without that header, the " +
      "events since `after` as JSON, within about a second.",
    headers: z.object({ "Last-Event-ID": cursorParam }),
    query: z.object({ after: cursorParam }),
    response: {
      schema: responseSchema,
      example: {
        events: [{
          type: "sender",
          data: {
            sender_id: "0192f8a0-1111-4222-8333-444455556666",
            number: "15550001111",
            channel: "whatsapp",
            status: "active",
            stopped_reason: null,
            stopped_code: null,
            stopped_until: null,
            locked: false,
            messaging_limit: "TIER_2K",
            quality: "GREEN",
            platform_notice: null,
          },
        }],
        reset: false,
        next: "9f86d081884c7d65-73451",
      },
      files: { "text/event-stream": { schema: z.string() } },
    },
  }, async (c, { caller: { companyId, member }, query }) => {
    const { companyEvents } = c.get("services");
    const after = cursorIn("Last-Event-ID", c.req.header("Last-Event-ID")) ??
      cursorIn("after", query.after) ?? null;
    const reader = { companyId, userId: member!.userId, after };
    if (!wantsStream(c)) return describeUpdate(await nextUpdate(companyEvents, reader, c.req.raw.signal));
    return respondEvents(c, companyEventSource(companyEvents, reader));
  });
}

function wantsStream(c: AppContext): boolean {
  return c.req.header("Accept")?.toLowerCase().includes("text/event-stream") === true;
}

function cursorIn(field: string, given: string | undefined): ChangeCursor | undefined {
  if (given === undefined || given === "") return undefined;
  const cursor = readCursor(given);
  if (cursor === undefined) throw badFormat(field, given, CURSOR_FORMAT);
  return cursor;
}

/** Waits for the next query that all readers share. */
async function nextUpdate(
  feed: CompanyFeed,
  reader: { companyId: string; userId: string; after: ChangeCursor | null },
  signal: AbortSignal,
): Promise<CompanyUpdate> {
  const { promise, resolve, reject } = Promise.withResolvers<CompanyUpdate>();
  const leave = feed.follow({
    ...reader,
    receive: resolve,
    fail: reject,
    end: (reason) => reject(endedBecause(reason)),
  });
  signal.addEventListener("abort", () => reject(signal.reason));
  return await promise.finally(leave);
}

function endedBecause(reason: EndReason): AppError {
  if (reason === "removed") return new AppError("not_found", "Company not found");
  if (reason === "displaced") {
    return new AppError(
      "rate_limit_exceeded",
      "You follow the company too many times: close another console",
      { retryAfterS: DISPLACED_WAIT_S },
    );
  }
  return new AppError("service_unavailable", "The service is stopping; retry in a moment");
}

function describeUpdate({ changes, isGap, next }: CompanyUpdate): z.input<typeof responseSchema> {
  // `outbound.read_changes` builds the data of each kind.
  const events = changes.map(({ type, data }) => ({ type, data }) as CompanyEvent);
  return { events, reset: isGap, next: formatCursor(next) };
}
