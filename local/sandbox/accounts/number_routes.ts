import type { Context } from "hono";
import { pageOf, pickFields } from "../http/graph_objects.ts";
import type { SandboxApp, SandboxEnv } from "../http/sandbox_app.ts";
import type { SandboxAccount, SandboxNumber } from "../options.ts";
import type { Platform } from "../platform.ts";
import { findMediaView } from "../media/media_routes.ts";
import { getTemplate } from "../templates/template_view.ts";
import { findNumber, unknownObject } from "./accounts.ts";

const LISTED = [
  "verified_name",
  "code_verification_status",
  "display_phone_number",
  "quality_rating",
  "platform_type",
  "throughput",
] as const;

/**
 * Registers `GET /{waba_id}/phone_numbers`, and `GET /{id}` of a number, an account, a template or a media file: ids
 * share one space.
 */
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
  return findMediaView(platform, accounts, c) ?? getTemplate(platform, accounts, id, fields);
}

/** A business account with every field that a request may name. */
export function accountView({ wabaId, numbers }: SandboxAccount, banned: boolean) {
  return {
    name: numbers[0]?.verifiedName ?? `Account ${wabaId}`,
    timezone_id: "1",
    message_template_namespace: `sandbox_${wabaId}`,
    status: banned ? "DISABLED" : "ACTIVE",
    account_review_status: "APPROVED",
    business_verification_status: "verified",
    currency: "USD",
    country: "US",
    ownership_type: "SELF",
    is_enabled_for_insights: false,
    id: wabaId,
  };
}

/** The fields of a response when a request names none. */
const ACCOUNT_FIELDS = ["name", "timezone_id", "message_template_namespace"] as const;

/** Further fields of the platform's accounts; the sandbox simulates none of them. */
const OTHER_ACCOUNT_FIELDS = [
  "marketing_messages_lite_api_status",
  "marketing_messages_onboarding_status",
  "on_behalf_of_business_info",
  "owner_business_info",
  "owner_business",
  "primary_business_location",
  "primary_funding_id",
  "purchase_order_number",
  "health_status",
  "subscribed_apps",
  "disable_marketing_messages_on_cloud_api",
  "auth_international_rate_eligibility",
  "whatsapp_business_manager_messaging_limit",
] as const;

/** A number with a higher rate, in messages per second, shows the level HIGH. */
const STANDARD_RATE = 80;

/** A number with every field that a request may name. */
function numberView(number: SandboxNumber) {
  const rate = number.ratePerSecond ?? STANDARD_RATE;
  return {
    verified_name: number.verifiedName,
    code_verification_status: "VERIFIED",
    display_phone_number: `+${number.displayNumber.replace(/^(\d{2})(\d{5})(\d+)$/, "$1 $2 $3")}`,
    quality_rating: "GREEN",
    platform_type: "CLOUD_API",
    throughput: { level: rate === 0 || rate > STANDARD_RATE ? "HIGH" : "STANDARD" },
    status: "CONNECTED",
    name_status: "APPROVED",
    whatsapp_business_manager_messaging_limit: "TIER_UNLIMITED",
    messaging_limit_tier: "TIER_UNLIMITED",
    quality_score: { score: "GREEN" },
    account_mode: "LIVE",
    is_official_business_account: false,
    is_pin_enabled: false,
    is_on_biz_app: false,
    is_preverified_number: false,
    id: number.phoneNumberId,
  };
}

/** Further fields of the platform's numbers; the sandbox simulates none of them. */
const OTHER_NUMBER_FIELDS = [
  "conversational_automation",
  "webhook_configuration",
  "new_name_status",
  "search_visibility",
  "eligibility_for_api_business_global_search",
  "health_status",
  "certificate",
  "new_certificate",
  "last_onboarded_time",
  "country_code",
  "country_dial_code",
  "username",
] as const;
