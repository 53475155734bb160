/**
 * The client of outbound: `Outbound` holds the address, the credential and the rules for retries, and has every operation of
 * the API as a method.
 *
 * @module
 */
export type * from "./generated/types.gen.ts";
export type { CampaignNotification, SendCampaignOptions, SentCampaign } from "./send_campaign.ts";
export type { CallOptions, CompanyOptions, RequestOptions } from "./call_options.ts";
export type { FollowedEvent, FollowOptions } from "./follow_events.ts";
export { type CompanyOption, Outbound } from "./outbound.ts";
export { OutboundError, type OutboundErrorFields } from "./outbound_error.ts";
export type { OutboundOptions } from "./outbound_options.ts";
export type { Paged } from "./pages.ts";
export type { RateLimit } from "./rate_limit.ts";
export type { Tagged, WithEtag } from "./tagged.ts";
export type { WaitOptions } from "./wait_for_campaign.ts";
