import type { TimelineChange, TimelineConsent, TimelineOptOut } from "../../data/sdk.ts";
import { Time } from "../../components/time.tsx";
import type { ActorName } from "../audit/actor_names.ts";
import { titleOf } from "./address_title.ts";
import { actionLabel } from "../audit/actions.ts";
import { words } from "../../i18n/words.ts";

/** That the person wants no more, and when that was lifted. */
export function OptOut(
  { optOut: { address, channel, category, source, lifted_at } }: { optOut: TimelineOptOut },
) {
  const { channels, sources } = words().contacts;
  const { noMore, liftedOn } = words().contact;
  return (
    <>
      <p class="history-head">
        <strong>{noMore[category as keyof typeof noMore]}</strong> {channels[channel]}
      </p>
      <p class="help">
        {sources[source]} · {titleOf(address)}
        {lifted_at && (
          <>
            · {liftedOn} <Time at={lifted_at} />
          </>
        )}
      </p>
    </>
  );
}

/** That the person agreed, or took it back. */
export function Consent({ consent: { address, channel, category, status, method, detail } }: {
  consent: TimelineConsent;
}) {
  const { channels, agreements } = words().contacts;
  return (
    <>
      <p class="history-head">
        <strong>{words().common.statuses[status]}</strong> {agreements[category]}, {channels[channel]}
      </p>
      <p class="help">{[method, detail, titleOf(address)].filter(Boolean).join(" · ")}</p>
    </>
  );
}

/** A change of the contact, and the member who made it. */
export function Change({ change: { actor, action, after }, actorName }: {
  change: TimelineChange;
  actorName: ActorName;
}) {
  const fields = Array.isArray(after?.fields) ? after.fields.map((field) => fieldName(String(field))) : [];
  return (
    <p class="history-head">
      {actionLabel(action)}
      {fields.length > 0 && <>: {fields.join(", ")}</>} <small>{actorName(actor)}</small>
    </p>
  );
}

function fieldName(field: string): string {
  const names = words().contacts;
  const known: Record<string, string> = {
    name: names.name,
    language: names.language,
    timezone: names.zone,
    country: names.countryShort,
    tags: names.tags,
    attributes: words().contact.attributes,
    addresses: words().contact.addresses,
  };
  return known[field] ?? field;
}
