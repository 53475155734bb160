import { hashesOf, openErasureKey } from "../contacts/erasure.ts";
import type { AcceptRequest, AcceptVerdict, RecipientRule } from "../db/queue/accept_notifications.ts";
import type { KeyState, SendContext, SendContextQuery } from "../db/queue/send_context.ts";
import { asRefusal, type Refusal, resultOf } from "../errors.ts";
import { checkMedia } from "../media/check_media.ts";
import { peopleOf } from "../people/named_people.ts";
import { readKnownPeople } from "../db/contacts/known_people.ts";
import type { Services } from "../services.ts";
import { addVerdicts } from "./batch.ts";
import type { Channel, ChannelPlan } from "./channel.ts";
import type { NotificationRequest } from "./notification_request.ts";
import { givenAddresses, type StoredZones } from "./recipient_schedule.ts";
import { type PlannedRequest, previewSends, waitWarnings } from "./send_preview.ts";
import { type CampaignInput, planCampaign, type PlanFacts, type Planned } from "./plan_campaign.ts";
import {
  type Failed,
  queued,
  type QueueResult,
  refuseByVerdict,
  refuseChecked,
  type Refused,
  replayed,
} from "./queue_result.ts";
import { shownWarnings } from "./warnings.ts";

export interface CampaignServices
  extends Pick<Services, "sql" | "now" | "sealer" | "sendContexts" | "refusedKeys"> {
  acceptances: Pick<Services["acceptances"], "add">;
  newWork: Pick<Services["newWork"], "notify">;
  env: Pick<Services["env"], "OUTBOUND_NOTIFICATION_TTL_S">;
}

/**
 * Checks a request against its key, its sender and its content, and stores it as a campaign, or adds it to one.
 *
 * The facts that it is checked against may be some seconds old. Storing checks them again in the same transaction, and no
 * request is refused on old facts; only a key that used up its quota is refused from memory, for a second. A refused
 * request counts against the rate of its key.
 */
export async function queueCampaign<Request extends NotificationRequest>(
  services: CampaignServices,
  channel: Channel<Request>,
  input: CampaignInput<Request>,
): Promise<QueueResult> {
  const query = contextQuery(channel, input);
  const attempts: Attempts = { stale: 0, recipientVerdicts: new Map(), isPaused: false };
  let storedZones: StoredZones | undefined;
  for (let facts = await readFacts(services, query);; facts = await refreshFacts(services, query)) {
    const { context } = facts;
    if (input.request.timing?.recipient_time) {
      storedZones ??= await readStoredZones(services, context, input.request);
    }
    const plan = planCampaign(channel, input, planFacts(services, context, attempts, storedZones));
    if (plan.kind === "refused") {
      if (!facts.isFresh) continue;
      return await refuseChecked(services, { channel, input }, { refusal: plan.refusal, context });
    }
    const missing = await missingMedia(services.sql, context.company_id, plan.draft);
    if (missing) return await refuseChecked(services, { channel, input }, { refusal: missing, context });
    const { isPaused } = attempts;
    await addPreviews(services, { channel, request: input.request, draft: plan.draft, context, isPaused });
    if (isPaused) plan.campaign.campaign.knows_paused = true;
    const stored = await store(services, input, plan.campaign, context);
    if (stored.kind !== "decided") return stored;
    if (isPlannedAgain(attempts, plan.campaign, stored.verdict)) continue;
    return await outcomeOf(services, { channel, input }, { plan, ...stored });
  }
}

/** Returns the refusal of a request that names a file which the company does not have, or which is of another kind. */
async function missingMedia(
  sql: Services["sql"],
  companyId: string,
  { media = [] }: ChannelPlan,
): Promise<Refusal | undefined> {
  try {
    for (const each of media) await checkMedia(sql, { companyId, ...each });
  } catch (error) {
    return asRefusal(error);
  }
}

/** The facts that a request is checked against. */
interface Facts {
  context: SendContext;
  /** They were read for this request. */
  isFresh: boolean;
}

async function readFacts({ sendContexts }: CampaignServices, query: SendContextQuery): Promise<Facts> {
  const { value, isFresh } = sendContexts.find(query);
  return { context: await value, isFresh };
}

async function refreshFacts({ sendContexts }: CampaignServices, query: SendContextQuery): Promise<Facts> {
  return { context: await sendContexts.refresh(query), isFresh: true };
}

function contextQuery<Request extends NotificationRequest>(
  channel: Channel<Request>,
  { keyHash, request }: CampaignInput<Request>,
): SendContextQuery {
  return {
    keyHash,
    channel: channel.name,
    recipientId: request.recipient_id,
    bulk: request.bulk,
    ...request.names,
  };
}

function planFacts(
  { now, env }: CampaignServices,
  context: SendContext,
  { recipientVerdicts }: Attempts,
  storedZones: StoredZones | undefined,
): PlanFacts {
  const facts = { context, now: now(), ttlS: env.OUTBOUND_NOTIFICATION_TTL_S, recipientVerdicts };
  return storedZones === undefined ? facts : { ...facts, storedZones };
}

/** Returns the zones that the company has stored of the recipients. Nothing is read for a key that is not valid. */
async function readStoredZones(
  { sql }: CampaignServices,
  { outcome, company_id: companyId }: SendContext,
  { contacts }: NotificationRequest,
): Promise<StoredZones> {
  if (outcome !== "ok") return new Map();
  const people = await readKnownPeople(sql, companyId, givenAddresses(contacts));
  return new Map(people.map(({ address, timezone }) => [address, timezone]));
}

/** Adds the previews of the notifications to a plan, and all its warnings to its response. */
async function addPreviews(
  { sql, now }: CampaignServices,
  plan: Omit<PlannedRequest, "now"> & { draft: ChannelPlan },
): Promise<void> {
  const { draft } = plan;
  const planned = { ...plan, now: now() };
  draft.previews = await previewSends(sql, planned);
  draft.batch.warnings.unshift(...waitWarnings(planned, draft.previews));
  Object.assign(draft.response, shownWarnings(draft.batch.warnings));
}

/** The database's verdict on a plan, with what it reports about the key. */
interface Decided {
  kind: "decided";
  verdict: AcceptVerdict;
  key: KeyState;
}

/** Stores a plan, if the database accepts it, in one statement with its neighbours: see `acceptances` in services.ts. */
async function store(
  { sealer, refusedKeys, acceptances }: CampaignServices,
  { keyHash, idempotent }: CampaignInput<NotificationRequest>,
  campaign: AcceptRequest,
  context: SendContext,
): Promise<Decided | Refused | Failed> {
  await addHashes(sealer, context, campaign);
  if (context.learns_contacts) campaign.people = peopleOf(campaign.notifications, context.company_id);
  // With an idempotency key, the request may have a first response.
  const known = idempotent === null
    ? refusedKeys.findQuota(keyHash, campaign.notifications.length)
    : undefined;
  if (known) return { kind: "refused", ...known };
  const stored = await resultOf(acceptances.add(campaign));
  if (!stored.ok) return { kind: "failed", error: stored.error, key: context };
  return { kind: "decided", verdict: stored.value, key: keyAfter(context, stored.value) };
}

/** Adds the hashes by which recipients who were erased are recognised, if the company has erased recipients. */
async function addHashes(
  sealer: Services["sealer"],
  { company_id: companyId, erasure_key_sealed: sealed }: SendContext,
  campaign: AcceptRequest,
): Promise<void> {
  if (sealed === null) return;
  const key = await openErasureKey(sealer, { companyId, sealed });
  campaign.knows_erased = true;
  for (const notification of campaign.notifications) notification.hashes = hashesOf(key, notification);
}

/** Returns the state of a key after storing, which reports more about it than the check before. */
function keyAfter(known: KeyState, verdict: AcceptVerdict): KeyState {
  if (verdict.outcome === "unauthorized") return { ...known, outcome: "unauthorized" };
  if (verdict.rate_limit <= 0) return known;
  const { outcome, company_id, api_key_id, permissions, api_access, sender_ids } = known;
  const { rate_limit, remaining, reset_s } = verdict;
  return {
    outcome,
    company_id,
    api_key_id,
    permissions,
    api_access,
    sender_ids,
    rate_limit,
    remaining,
    reset_s,
  };
}

/** Failed attempts to store a request on stale facts, and what the database reported about its recipients. */
interface Attempts {
  stale: number;
  recipientVerdicts: Map<string, RecipientRule>;
  /** The campaign that the request adds to is paused. */
  isPaused: boolean;
}

/** A template, an agent or a key may change while a request is checked, but hardly more than twice. */
const MAX_STALE = 3;

/**
 * Returns whether a request is to be planned again, on fresh facts. Records what the verdict reports about its recipients:
 * as often as it says something new, since any number of them may opt out, or be erased, meanwhile.
 */
function isPlannedAgain(attempts: Attempts, campaign: AcceptRequest, verdict: AcceptVerdict): boolean {
  const { outcome } = verdict;
  if (outcome === "campaign_paused") return attempts.isPaused = true;
  // The key may have a new text since, and the presented one still passes.
  if (outcome === "stale" || outcome === "unauthorized" || outcome === "forbidden") {
    return ++attempts.stale < MAX_STALE;
  }
  return outcome === "recipients" && addVerdicts(attempts.recipientVerdicts, campaign, verdict);
}

/** Returns what a verdict means to the client. Wakes a dispatcher for a stored campaign. */
async function outcomeOf<Request extends NotificationRequest>(
  services: CampaignServices,
  request: { channel: Channel<Request>; input: CampaignInput<Request> },
  { plan: { campaign, draft }, verdict, key }: Decided & { plan: Planned },
): Promise<QueueResult> {
  switch (verdict.outcome) {
    case "accepted":
      if (isDueSoon(campaign, services.now())) services.newWork.notify();
      return queued(draft, key);
    case "replayed":
      // Without a key of the client, it is this request that had been stored when the database failed.
      return request.input.idempotent === null ? queued(draft, key) : replayed(verdict.answer, key);
    default:
      return await refuseByVerdict(services, request, { verdict, size: campaign.notifications.length, key });
  }
}

/** More than the time between two polls of a dispatcher. */
const SOON_MS = 1000;

/** Returns whether the dispatcher must be woken. It finds later work by its own clock. */
function isDueSoon({ campaign }: AcceptRequest, now: Date): boolean {
  return campaign.scheduled_time === null || Date.parse(campaign.scheduled_time) - now.getTime() < SOON_MS;
}
