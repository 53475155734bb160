import type { SandboxAccount } from "../options.ts";

/** A business account with every field a request may ask for. */
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

/** What is given when a request names no fields. */
export const ACCOUNT_FIELDS = ["name", "timezone_id", "message_template_namespace"] as const;

/** What the platform's accounts have besides; nothing of it is simulated. */
export const OTHER_ACCOUNT_FIELDS = [
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
