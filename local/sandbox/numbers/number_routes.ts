import type { Context } from "hono";
import { findNumber, unknownObject } from "../accounts.ts";
import type { SandboxApp, SandboxEnv } from "../http/sandbox_app.ts";
import { pageOf } from "../http/page_of.ts";
import { pickFields } from "../http/pick_fields.ts";
import type { Platform } from "../platform.ts";
import { getTemplate } from "../templates/get_template.ts";
import { ACCOUNT_FIELDS, accountView, OTHER_ACCOUNT_FIELDS } from "./account_view.ts";
import { numberView, OTHER_NUMBER_FIELDS } from "./number_view.ts";

const LISTED = [
  "verified_name",
  "code_verification_status",
  "display_phone_number",
  "quality_rating",
  "platform_type",
  "throughput",
] as const;

/** `GET /{waba_id}/phone_numbers`, and `GET /{id}` of a number, an account or a template: ids share one space. */
export function registerNumberRoutes(app: SandboxApp, platform: Platform): void {
  app.get("/:id{\\d+}/phone_numbers", (c) => c.json(listNumbers(platform, c)));
  app.get("/:id{\\d+}", (c) => c.json(getObject(platform, c)));
}

function listNumbers(platform: Platform, c: Context<SandboxEnv>) {
  const id = c.req.param("id")!;
  const account = platform.accounts.authorize(c.req.header("Authorization")).find((each) =>
    each.wabaId === id
  );
  if (account === undefined) throw unknownObject(id);
  const page = pageOf(account.numbers.map((number) => numberView(number)), c.req.url);
  return {
    ...page,
    data: page.data.map((view) => pickFields(view, c.req.query("fields"), [...LISTED], OTHER_NUMBER_FIELDS)),
  };
}

function getObject(platform: Platform, c: Context<SandboxEnv>) {
  const id = c.req.param("id")!;
  const accounts = platform.accounts.authorize(c.req.header("Authorization"));
  const found = findNumber(accounts, id);
  const fields = c.req.query("fields");
  if (found !== undefined) {
    return pickFields(numberView(found.number), fields, [...LISTED], OTHER_NUMBER_FIELDS);
  }
  const account = accounts.find(({ wabaId }) => wabaId === id);
  if (account !== undefined) {
    const view = accountView(account, platform.bans.has(id));
    return pickFields(view, fields, [...ACCOUNT_FIELDS], OTHER_ACCOUNT_FIELDS);
  }
  return getTemplate(platform, accounts, id, fields);
}
