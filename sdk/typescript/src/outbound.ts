import { createClient, type CreatedClient } from "./create_client.ts";
import { type FollowedEvent, followEvents, type FollowOptions } from "./follow_events.ts";
import { Resources } from "./generated/resources.gen.ts";
import type { CampaignStatus, Contact } from "./generated/types.gen.ts";
import type { OutboundOptions } from "./outbound_options.ts";
import type { RateLimit } from "./rate_limit.ts";
import {
  type CampaignNotification,
  sendCampaign,
  type SendCampaignOptions,
  type SentCampaign,
} from "./send_campaign.ts";
import { waitForCampaign, type WaitOptions } from "./wait_for_campaign.ts";

/** The company of the access key, as paths name it. */
const COMPANY_OF_KEY = "mine";

/**
 * The client: the address of the service, one credential, how to retry, and every operation of the API as a method.
 *
 * ```ts
 * const outbound = new Outbound({ baseUrl, accessKey });
 * const sent = await outbound.notifications.send({ contact: { number }, ... });
 * for await (const campaign of outbound.campaigns.list()) console.log(campaign.status);
 * ```
 */
export class Outbound extends Resources {
  readonly #created: CreatedClient;
  readonly #companyId: string | undefined;

  /** Throws `TypeError` for options that do not fit. */
  constructor(options: OutboundOptions & CompanyOption = {}) {
    const { companyId = options.token === undefined ? COMPANY_OF_KEY : undefined, ...others } = options;
    const created = createClient(others);
    super(created.client, companyId);
    this.#created = created;
    this.#companyId = companyId;
  }

  /** The rate of the access key, as the last response that named it reports it. */
  get rateLimit(): RateLimit | undefined {
    return this.#created.rateLimit;
  }

  /** Sends a notification to any number of contacts as one campaign, a hundred per request. */
  sendCampaign(
    notification: CampaignNotification,
    contacts: Iterable<Contact> | AsyncIterable<Contact>,
    options: SendCampaignOptions = {},
  ): Promise<SentCampaign> {
    return sendCampaign(this.#created.client, notification, contacts, options);
  }

  /** Waits until a campaign is completed, or what `until` asks for, and returns its status. Needs an access key. */
  waitForCampaign(campaignId: string, options: WaitOptions = {}): Promise<CampaignStatus> {
    return waitForCampaign(this.#created.client, campaignId, options);
  }

  /** Yields what changes in a company, without end, until `signal` aborts or the loop is left. Needs a token. */
  events(options: FollowOptions & CompanyOption = {}): AsyncGenerator<FollowedEvent, void, undefined> {
    const { companyId = this.#companyId, ...others } = options;
    return followEvents(this.#created.client, companyId!, others);
  }
}

/** The company of operations that name none. */
export interface CompanyOption {
  /** Needed with a user's token. @default {the company of the access key} */
  companyId?: string;
}
