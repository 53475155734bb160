import type { Callers } from "./callers.ts";

/** The checks that every response has to pass. */
export const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
];

/** Operations that are not called, and why. */
export const NOT_CALLED: Record<string, string> = {
  followConversation: "its response is a stream that ends after about 100 seconds",
  logOut: "it ends the session of the requests after it",
  setPassword: "it changes the password with which the next run logs in",
};

/** Operations that one check is changed for, and why. */
export const EXCLUDED: { operations: string[]; setting: string; reason: string }[] = [
  {
    operations: ["startVoiceSession", "requestHandoff", "joinHandoff", "joinManagedHandoff"],
    setting: 'checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "502"]',
    reason: "the stack has no real-time platform, so they respond with the documented 502",
  },
  {
    operations: [
      ...["sendNotification", "placeCall", "addSuppressions", "addConsents"],
      ...["addSuppressions", "addConsents"],
    ],
    setting: "checks.negative_data_rejection.enabled = false",
    reason:
      "each entry of a list is checked by itself: the response is 200 and names the bad ones in `errors`",
  },
];

/** Operations that end or limit a key. They get the spare company. */
const OF_SPARE_COMPANY = ["changeCompanyKey", "rotateCompanyKey", "revokeCompanyKey", "activateCompanyKey"];

/** Operations about one campaign; a request to send adds to the campaign that it names, so it names none. */
const OF_CAMPAIGN = [
  ...["getCampaignStatus", "listRecipients", "explainFailures", "resendCampaign", "getCampaignPricing"],
  ...["pauseCampaign", "resumeCampaign", "cancelCampaign", "moveCampaign", "copyCampaign"],
];

/** Operations of a voice widget, named by its id or by a session. */
const OF_VOICE_WIDGET = [
  ...["getVoiceWidget", "startVoiceSession", "searchKnowledge", "sendFeedback", "getVoiceTranscript"],
  ...["requestHandoff", "endHandoff"],
];

/** Returns the configuration of Schemathesis for a stack with these callers, in TOML. */
export function schemathesisConfig(callers: Callers): string {
  const bearer = (token: string) => ({ bearer: token });
  const key = (text: string) => ({ api_key: text });
  const auth = {
    accessKey: bearer(callers.accessKey),
    accessKeyInQuery: key(callers.accessKey),
    publishableKey: key(callers.publishableKey),
    customerId: key(callers.publishableKey),
    userToken: bearer(callers.userToken),
    visitorToken: bearer(callers.visitorToken),
    sessionToken: bearer(callers.sessionToken),
    dispatchSecret: bearer(callers.dispatchSecret),
    whatsappVerifyToken: key(callers.verifyToken),
  };
  return [
    `[checks]\nenabled = false\n${CHECKS.map((check) => `${check}.enabled = true`).join("\n")}`,
    ...Object.entries(auth).map(([scheme, value]) => `[auth.openapi.${scheme}]\n${pairs(value)}`),
    `[parameters]\n${pairs(parametersOf(callers))}`,
    operations(OF_CAMPAIGN, `parameters = { "query.campaign_id" = ${quote(callers.campaignId)} }`),
    operations(OF_VOICE_WIDGET, `parameters = { "query.id_widget" = ${quote(callers.voiceWidgetId)} }`),
    operations(OF_SPARE_COMPANY, `parameters = { "path.company_id" = ${quote(callers.spareCompanyId)} }`),
    operations(Object.keys(NOT_CALLED), "enabled = false"),
    ...EXCLUDED.map(({ operations: names, setting }) => operations(names, setting)),
  ].join("\n\n");
}

function parametersOf(callers: Callers): Record<string, string> {
  return {
    "path.company_id": callers.companyId,
    "path.conversation_id": callers.conversationId,
    "path.campaign_id": callers.campaignId,
    "path.customer_id": callers.publishableKey,
    // A parameter as well as a credential: a made-up one would count, and be refused.
    "query.access_key": callers.accessKey,
    "query.customer_id": callers.publishableKey,
    "query.widget_id": callers.chatWidgetId,
  };
}

function operations(names: string[], setting: string): string {
  return `[[operations]]\ninclude-operation-id = [${names.map(quote).join(", ")}]\n${setting}`;
}

function pairs(values: Record<string, string>): string {
  return Object.entries(values).map(([name, value]) => `${quote(name)} = ${quote(value)}`).join("\n");
}

function quote(text: string): string {
  return JSON.stringify(text);
}
