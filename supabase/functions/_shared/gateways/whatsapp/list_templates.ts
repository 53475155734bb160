import { z } from "zod";
import { AppError } from "../../errors.ts";
import {
  accountRefused,
  errorOf,
  platformUnavailable,
  platformUrl,
  readPlatformError,
  refusesAccount,
  type WhatsappConfig,
} from "./errors.ts";
import { startDeadline } from "../../concurrency/deadline.ts";
import { readJson, retryAfterSeconds } from "../http_client.ts";

/** The platform's states and events that we know, in our words. Source: WhatsApp Cloud API, templates and webhooks. */
const STATUS: Record<string, string> = {
  PENDING: "pending",
  APPROVED: "approved",
  REINSTATED: "approved",
  UNARCHIVED: "approved",
  FLAGGED: "approved", // still sendable, at risk of being paused
  REJECTED: "rejected",
  IN_APPEAL: "rejected",
  PAUSED: "disabled",
  DISABLED: "disabled",
  ARCHIVED: "disabled",
  PENDING_DELETION: "disabled",
  DELETED: "disabled",
  LIMIT_EXCEEDED: "disabled",
  LOCKED: "disabled",
};

/**
 * Returns our state of a template (`pending`, `approved`, `rejected`, `disabled`) for a state or an event of the platform. One
 * we do not know is kept in lower case: it is shown to people and counts as not usable.
 */
export function templateStatus(platformStatus: string): string {
  const known = platformStatus.toUpperCase();
  return Object.hasOwn(STATUS, known) ? STATUS[known]! : platformStatus.toLowerCase();
}

const FIELDS = "id,name,status,category,language,components,parameter_format,rejected_reason,quality_score";
const PAGE_SIZE = 100;
/** Far above the 6,000 templates an account may have: a platform without a last page must not keep us forever. */
const MAX_PAGES = 1000;
const MAX_PAGE_LENGTH = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

const platformTemplateSchema = z.looseObject({
  id: z.union([z.string().min(1), z.int().transform(String)]),
  name: z.string().min(1),
  language: z.string().min(1),
  status: z.string(),
  category: z.string(),
  parameter_format: z.string().optional().catch(undefined),
  rejected_reason: z.string().nullish().catch(undefined),
  quality_score: z.looseObject({ score: z.string().optional().catch(undefined) }).nullish().catch(undefined),
  components: z.array(z.unknown()).optional().catch(undefined),
});

const pageSchema = z.looseObject({
  data: z.array(z.unknown()),
  paging: z.looseObject({
    next: z.string().optional().catch(undefined),
    cursors: z.looseObject({ after: z.string().optional().catch(undefined) }).optional().catch(undefined),
  }).optional().catch(undefined),
});

/** A template as the platform lists it. Source: WhatsApp Cloud API, templates. */
export type PlatformTemplate = z.infer<typeof platformTemplateSchema>;

type Page = z.infer<typeof pageSchema>;

/**
 * Lists a business account's templates page by page; a page may be empty. Entries without a name or a language are
 * left out. With `name`, the platform is asked for those of this name only, and may give others that resemble it.
 *
 * Throws `service_unavailable` with status 502 when the platform cannot be reached, makes no sense or is busy, and
 * `validation_failed` when it refuses for good, as it does with an expired token; `details.service` is `whatsapp`, and
 * `details.reason` the platform's words, if it gave any.
 */
export async function* listTemplates(
  config: WhatsappConfig,
  account: { wabaId: string; token: string; name?: string },
  options: { timeoutMs?: number; signal?: AbortSignal } = {},
): AsyncGenerator<PlatformTemplate[]> {
  const first = firstPage(config, account);
  const seen = new Set<string>();
  for (let url: URL | undefined = first; url !== undefined;) {
    // Half a list passed off as whole would take every template of the other half out of use.
    if (seen.has(cursorOf(url)) || seen.size === MAX_PAGES) {
      throw platformUnavailable("The messaging platform's list of templates does not come to an end");
    }
    seen.add(cursorOf(url));
    const page = await readPage(config, url, account.token, options);
    yield page.data.flatMap((item) => platformTemplateSchema.safeParse(item).data ?? []);
    url = nextPage(page, first);
  }
}

function firstPage(config: WhatsappConfig, { wabaId, name }: { wabaId: string; name?: string }): URL {
  const url = new URL(platformUrl(config, wabaId, "message_templates"));
  url.searchParams.set("fields", FIELDS);
  url.searchParams.set("limit", String(PAGE_SIZE));
  if (name !== undefined) url.searchParams.set("name", name);
  return url;
}

/** `next` is an absolute URL chosen by the other side: the token goes with it only to the host it is meant for. */
function nextPage({ paging }: Page, first: URL): URL | undefined {
  if (paging?.next === undefined) return undefined;
  const next = URL.parse(paging.next);
  if (next?.origin === first.origin) return next;
  if (paging.cursors?.after === undefined) {
    throw platformUnavailable("The messaging platform's list of templates continues on another host");
  }
  const url = new URL(first);
  url.searchParams.set("after", paging.cursors.after);
  return url;
}

function cursorOf(url: URL): string {
  return url.searchParams.get("after") ?? url.search;
}

async function readPage(
  config: WhatsappConfig,
  url: URL,
  token: string,
  options: { timeoutMs?: number; signal?: AbortSignal },
): Promise<Page> {
  const deadline = startDeadline(options.timeoutMs ?? TIMEOUT_MS, options.signal);
  try {
    const response = await get(config, url, token, deadline.signal);
    const body = await readJson(response, MAX_PAGE_LENGTH);
    const page = response.ok ? pageSchema.safeParse(body).data : undefined;
    if (page === undefined) throw refusal(response, body, token);
    return page;
  } finally {
    deadline.clear();
  }
}

async function get(config: WhatsappConfig, url: URL, token: string, signal: AbortSignal): Promise<Response> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    return await (config.fetch ?? fetch)(url, { headers, redirect: "manual", signal });
  } catch {
    // The runtime's error is not kept as the cause: it may quote the URL or the header, and with them the token.
    throw platformUnavailable("The messaging platform cannot be reached");
  }
}

function refusal(response: Response, body: unknown, token: string): AppError {
  const error = readPlatformError(errorOf(body), { httpStatus: response.status, token });
  const retryAfterS = retryAfterSeconds(response.headers);
  if (error === null) {
    return platformUnavailable(
      `The messaging platform responded with HTTP ${response.status} without a list of templates`,
      { retryAfterS },
    );
  }
  const message = `The messaging platform did not list the templates. ${error.reason}`;
  if (refusesAccount(error.action)) return accountRefused(message);
  const details = { reason: error.reason, platform_code: error.code };
  if (error.action === "retry" || error.action === "slow_sender") {
    return platformUnavailable(message, { details, retryAfterS });
  }
  return new AppError("validation_failed", message, { details: { service: "whatsapp", ...details } });
}

/**
 * Finds the template of this name and language in a business account; undefined when the platform has none.
 *
 * Throws as `listTemplates` does.
 */
export async function findPlatformTemplate(
  config: WhatsappConfig,
  { language, ...account }: { wabaId: string; token: string; name: string; language: string },
  options: { timeoutMs: number },
): Promise<PlatformTemplate | undefined> {
  for await (const page of listTemplates(config, account, options)) {
    const found = page.find((item) => item.name === account.name && item.language === language);
    if (found !== undefined) return found;
  }
  return undefined;
}
