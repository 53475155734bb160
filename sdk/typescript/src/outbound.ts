import { createClient, type CreatedClient } from "./create_client.ts";
import { followCompany, type FollowedEvent, type FollowOptions } from "./follow_company.ts";
import type { Client } from "./generated/client/index.ts";
import type { CampaignStatus, Contact } from "./generated/types.gen.ts";
import type { OutboundOptions } from "./outbound_options.ts";
import type { RateLimit } from "./rate_limit.ts";
import { type ItemOf, type PagedOperation, type PageOptions, readPages } from "./read_pages.ts";
import {
  type CampaignNotification,
  sendCampaign,
  type SendCampaignOptions,
  type SentCampaign,
} from "./send_campaign.ts";
import { waitForCampaign, type WaitOptions } from "./wait_for_campaign.ts";
import { type SettingsOperation, type SettingsOptions, type WithEtag, withEtag } from "./with_etag.ts";

/**
 * A configured client: the address of the service, one credential, and how to retry.
 *
 * ```ts
 * const outbound = new Outbound({ baseUrl, accessKey });
 * const templates = await listTemplates({ client: outbound.client, query: { phone_number } });
 * ```
 */
export class Outbound {
  /** Every operation takes it as `client`. */
  readonly client: Client;
  readonly #created: CreatedClient;

  /** Throws `TypeError` for options that do not fit. */
  constructor(options: OutboundOptions = {}) {
    this.#created = createClient(options);
    this.client = this.#created.client;
  }

  /** The rate of the access key, as the last response that named it reports it. */
  get rateLimit(): RateLimit | undefined {
    return this.#created.rateLimit;
  }

  /**
   * Yields the entries of a list, page by page.
   *
   * ```ts
   * for await (const campaign of outbound.pages(listCampaigns, { path: { company_id } })) …
   * ```
   */
  pages<Operation extends PagedOperation>(
    operation: Operation,
    options: PageOptions<Operation>,
  ): AsyncGenerator<ItemOf<Operation>, void, undefined> {
    return readPages(this.client, operation, options);
  }

  /**
   * Reads or changes settings, and returns them with their ETag. Send it as `If-Match` with the next change.
   *
   * ```ts
   * const { data, etag } = await outbound.withEtag(getSettings, { path });
   * await setFrequencyCaps({ client: outbound.client, path, body, headers: { "If-Match": etag } });
   * ```
   */
  withEtag<Operation extends SettingsOperation>(
    operation: Operation,
    options: SettingsOptions<Operation>,
  ): Promise<WithEtag<Operation>> {
    return withEtag(this.client, operation, options);
  }

  /** Sends a notification to any number of contacts as one campaign, a hundred per request. */
  sendCampaign(
    notification: CampaignNotification,
    contacts: Iterable<Contact> | AsyncIterable<Contact>,
    options: SendCampaignOptions = {},
  ): Promise<SentCampaign> {
    return sendCampaign(this.client, notification, contacts, options);
  }

  /** Waits until a campaign is completed, or what `until` asks for, and returns its status. Needs an access key. */
  waitForCampaign(campaignId: string, options: WaitOptions = {}): Promise<CampaignStatus> {
    return waitForCampaign(this.client, campaignId, options);
  }

  /** Yields what changes in a company, without end, until `signal` aborts or the loop is left. Needs a token. */
  events(companyId: string, options: FollowOptions = {}): AsyncGenerator<FollowedEvent, void, undefined> {
    return followCompany(this.client, companyId, options);
  }
}
