/**
 * The parts of `Outbound` as functions that take a client: a bundler keeps only those that a page uses.
 *
 * @module
 */
export * from "./generated/index.ts";
export type { Client } from "./generated/client/index.ts";
export { createClient, type CreatedClient } from "./create_client.ts";
export { type FollowedEvent, followEvents, type FollowOptions } from "./follow_events.ts";
export { OutboundError, type OutboundErrorFields } from "./outbound_error.ts";
export { OptionError, type OutboundOptions } from "./outbound_options.ts";
export { type ItemOf, type PagedOperation, type PageOptions, readPages } from "./pages.ts";
export { type CampaignNotification, sendCampaign, type SentCampaign } from "./send_campaign.ts";
export {
  type SettingsOf,
  type SettingsOperation,
  type SettingsOptions,
  tag,
  type Tagged,
  type WithEtag,
} from "./tagged.ts";
export { waitForCampaign } from "./wait_for_campaign.ts";
