import { z } from "@hono/zod-openapi";
import { searchArchive, type SearchServices } from "../../archive/search_archive.ts";
import { timelineRow, timeOfId } from "../../archive/show_archived.ts";
import { renderedSchema } from "../../campaigns/dry_run/dry_run_response.ts";
import { type ContactKey, readContact } from "../../db/people/contacts.ts";
import {
  readContactAddresses,
  readTimeline,
  TIMELINE_KINDS,
  type TimelineCursor,
  type TimelineRow,
} from "../../db/people/timeline.ts";
import { badFormat } from "../../errors.ts";
import { noContact } from "../../people/change_contact.ts";
import { renderMessage, type SentComponent } from "../../templates/render_message.ts";
import type { TemplateComponent } from "../../templates/template.ts";
import { firstIdAt } from "../../values/uuid.ts";
import { orNull } from "../../values/or_null.ts";
import { testField } from "../app/list_page.ts";

const time = z.iso.datetime().nullable();
const text = z.string().nullable();

const sentSchema = z.object({
  campaign_id: z.guid(),
  campaign_name: z.string(),
  channel: z.string(),
  address: text.openapi({ description: "The number or user id it went to" }),
  status: z.string(),
  code: text,
  reason: text,
  sent_at: time,
  delivered_at: time,
  read_at: time,
  replied_at: time,
  failed_at: time,
  skipped_at: time,
  template_name: text,
  rendered: orNull(renderedSchema).openapi({
    description:
      "What the person saw; null for calls, and once the template has changed or the text was erased",
  }),
  attempts: z.array(
    z.object({
      started_at: time,
      finished_at: time,
      outcome: z.string(),
      code: text,
      reason: text,
    }).openapi("TimelineAttempt"),
  ),
  call: orNull(
    z.object({ outcome: text, duration_s: z.number().nullable(), summary: text }).openapi("TimelineCall"),
  ),
}).openapi("TimelineNotification");

/** One entry of a timeline. The field of its kind holds it; the others are left out. */
export const entrySchema = z.object({
  id: z.guid().openapi({ description: "Of the notification, the message, the conversation, the opt-out …" }),
  at: z.iso.datetime(),
  kind: z.enum(TIMELINE_KINDS),
  notification: sentSchema.optional(),
  message: z.object({
    direction: z.enum(["in", "out"]),
    message_kind: z.string(),
    text,
    content: z.record(z.string(), z.unknown()).nullable(),
    status: z.string(),
    purpose: z.string(),
    sender_id: z.guid(),
    campaign_id: z.guid().nullable(),
    notification_id: z.guid().nullable().openapi({ description: "What it replies to" }),
    code: text,
    reason: text,
  }).openapi("TimelineMessage").optional(),
  chat: z.object({
    conversation_id: z.guid(),
    widget_id: z.guid(),
    status: z.string(),
    messages: z.number().int(),
    last_message_at: time,
    page_url: text,
  }).openapi("TimelineChat").optional(),
  opt_out: z.object({
    address: z.string(),
    channel: z.string(),
    category: z.string(),
    source: z.string(),
    said_at: time,
    lifted_at: time,
    lifted_by: text,
  }).openapi("TimelineOptOut").optional(),
  consent: z.object({
    address: z.string(),
    channel: z.string(),
    category: z.string(),
    status: z.string(),
    method: z.string(),
    detail: text,
    source: z.string(),
  }).openapi("TimelineConsent").optional(),
  change: z.object({
    actor: z.string().openapi({ description: "As the audit names it" }),
    action: z.string(),
    after: z.record(z.string(), z.unknown()).nullable(),
  }).openapi("TimelineChange").optional(),
}).openapi("TimelineEntry");

/** A page of a timeline. */
export const timelineSchema = z.object({
  entries: z.array(entrySchema),
  ...testField,
  next: z.string().nullable().openapi({ description: "Give it as `after` to read on; null at the end" }),
  unreadable_archive_files: z.array(z.guid()).openapi({
    description: "Files of the archive that could not be read: what they have of the person is missing here",
  }),
}).openapi("Timeline");

/** Returns a page of a contact's timeline. Throws `not_found`, and `validation_failed` for a bad `after`. */
export async function listTimeline(
  services: SearchServices,
  key: ContactKey,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<z.input<typeof timelineSchema>> {
  const cursor = after === undefined ? null : readCursor(after);
  const { sql } = services;
  if (await readContact(sql, key) === undefined) throw noContact();
  const stored = await readTimeline(sql, key, { after: cursor, limit });
  const { rows, unreadable } = await withArchived(services, key, { stored, after: cursor, limit });
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    entries: rows.filter(({ entry }) => entry !== null).map(showEntry),
    next: last ? `${last.at}_${last.id}` : null,
    unreadable_archive_files: unreadable,
  };
}

/** Adds what the archive has for a page. Opens files from the newest on, and none behind the end of the page. */
async function withArchived(
  services: SearchServices,
  { companyId, contactId }: ContactKey,
  { stored, after, limit }: { stored: TimelineRow[]; after: TimelineCursor | null; limit: number },
): Promise<{ rows: TimelineRow[]; unreadable: string[] }> {
  const unreadable: string[] = [];
  let rows = stored;
  const beforeId = after === null ? undefined : firstIdAt(new Date(Date.parse(after.at) + 1));
  const addresses = await readContactAddresses(services.sql, { companyId, contactId });
  for (const file of await searchArchive(services, { companyId, addresses, ...beforeId && { beforeId } })) {
    if (rows.length === limit && timeOfId(file.lastId) < rows.at(-1)!.at) break;
    const found = await file.read();
    if (found === null) unreadable.push(file.fileId);
    const added = (found ?? []).map(({ row, campaign }) => timelineRow(row, campaign))
      .filter((row) => (after === null || isBefore(row, after)) && rows.every(({ id }) => id !== row.id));
    rows = [...rows, ...added].sort((a, b) => isBefore(a, b) ? 1 : -1).slice(0, limit);
  }
  return { rows, unreadable };
}

function isBefore(a: TimelineCursor, b: TimelineCursor): boolean {
  return a.at === b.at ? a.id < b.id : a.at < b.at;
}

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function readCursor(after: string): TimelineCursor {
  const [, at, id] = CURSOR.exec(after) ?? [];
  if (at === undefined || id === undefined || Number.isNaN(Date.parse(at))) {
    throw badFormat("after", after, "the `next` of the page before");
  }
  return { at, id };
}

function showEntry({ id, at, kind, entry }: TimelineRow): z.input<typeof entrySchema> {
  const shown = kind === "notification" ? withText(entry!) : entry;
  return { id, at, kind, [kind]: shown } as z.input<typeof entrySchema>;
}

function withText({ message, components, ...sent }: Record<string, unknown>) {
  const rendered = Array.isArray(message) && Array.isArray(components)
    ? renderMessage({ components: components as TemplateComponent[] }, message as SentComponent[])
    : null;
  return { ...sent, rendered };
}
