/**
 * The client of outbound: `Outbound` holds the address, the credential and the rules for retries; every operation of the
 * API is a function that takes its `client`.
 *
 * @module
 */
export * from "./generated/index.ts";
export type { Client } from "./generated/client/index.ts";
export type { CampaignNotification, SendCampaignOptions, SentCampaign } from "./send_campaign.ts";
export type { FollowedEvent, FollowOptions } from "./follow_company.ts";
export { Outbound } from "./outbound.ts";
export { OutboundError, type OutboundErrorFields } from "./outbound_error.ts";
export type { OutboundOptions } from "./outbound_options.ts";
export type { RateLimit } from "./rate_limit.ts";
export type { ItemOf, PagedOperation, PageOptions } from "./read_pages.ts";
export type { WaitOptions } from "./wait_for_campaign.ts";
export type { SettingsOperation, SettingsOptions, WithEtag } from "./with_etag.ts";
