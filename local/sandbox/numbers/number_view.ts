import type { SandboxNumber } from "../options.ts";

/** A number upgraded to more than this many messages a second shows the level HIGH. */
const STANDARD_RATE = 80;

/** A number with every field a request may ask for. */
export function numberView(number: SandboxNumber) {
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

/** What the platform's numbers have besides; nothing of it is simulated. */
export const OTHER_NUMBER_FIELDS = [
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
