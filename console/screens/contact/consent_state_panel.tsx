import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import type { Person, PersonNotification } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Section } from "../../components/page_head.tsx";
import { Time } from "../../components/time.tsx";
import { meaningOf } from "../../i18n/codes.ts";
import { LiftDialog } from "./lift_dialog.tsx";
import { useAdvice, useConsentPolicy, useSent } from "./person_data.ts";
import {
  activeSuppressions,
  consentsOf,
  evidenceOf,
  isAgreed,
  type PersonSuppression,
} from "./consent_state.ts";
import { words } from "../../i18n/words.ts";

/** Why something does not arrive, or that nothing is in the way. */
export function ConsentState({ person, address, onChange }: {
  person: Person;
  address: string;
  onChange: () => void;
}) {
  const policy = useConsentPolicy();
  const sent = useSent(address).rows;
  const latest = sent?.[0];
  const suppressions = activeSuppressions(person);
  const cooldowns = person.marketing_cooldowns.map(({ until }) => String(until)).filter((until) =>
    Date.parse(until) > Date.now()
  );
  const lacksConsent = policy !== undefined && policy !== "off" && !isAgreed(consentsOf(person));
  const isUndelivered = latest?.status === "failed" || latest?.status === "skipped";
  const names = words().contact;
  const isUnknown = person.contact === null && sent?.length === 0 && person.suppressions.length === 0 &&
    person.consents.length === 0 && person.user_ids.length === 0;
  const isFree = suppressions.length === 0 && cooldowns.length === 0 && !lacksConsent && !isUndelivered;
  return (
    <Section title={names.consentState}>
      <ul class="lines">
        {isFree && <li>{isUnknown ? names.nothingKnown : names.nothingInTheWay}</li>}
        {isUndelivered && <Undelivered notification={latest} />}
        {suppressions.map((each) => (
          <Suppressed
            key={`${each.channel} ${each.category} ${each.source}`}
            suppression={each}
            onChange={onChange}
          />
        ))}
        {cooldowns[0] && (
          <li>
            <Icon name="warning" />
            <span>
              {names.cooldown} <Time at={cooldowns[0]} />.
            </span>
          </li>
        )}
        {lacksConsent && (
          <li>
            <Icon name={policy === "require" ? "warning" : "info"} />
            <span>{policy === "require" ? names.consentNeeded : names.consentMissing}</span>
          </li>
        )}
      </ul>
    </Section>
  );
}

function Suppressed({ suppression, onChange }: { suppression: PersonSuppression; onChange: () => void }) {
  const [isLifting, setLifting] = useState(false);
  const { channel, category, source, at } = suppression;
  const { noMore, lift, liftInApp } = words().contact;
  const { channels, sources } = words().contacts;
  const evidence = evidenceOf(suppression);
  const canLift = source !== "platform" && source !== "operator";
  return (
    <li>
      <Icon name="warning" />
      <span>
        <strong>{noMore[category]}</strong> ({channels[channel]}). {sources[source]}, <Time at={at} />
        {evidence && <>: “{evidence}”</>}
        {source === "platform" && <small>{liftInApp}</small>}
      </span>
      {canLift && may("owner") && <Button kind="quiet" onPress={() => setLifting(true)}>{lift}</Button>}
      {isLifting && (
        <LiftDialog
          suppression={suppression}
          onClose={() => {
            setLifting(false);
            onChange();
          }}
        />
      )}
    </li>
  );
}

function Undelivered({ notification }: { notification: PersonNotification }) {
  const { campaign_id, campaign_name, status, code, reason, failed_at, skipped_at } = notification;
  const advice = useAdvice(notification);
  const { lastFailed, lastSkipped } = words().contact;
  return (
    <li>
      <Icon name="warning" />
      <span>
        <strong>{status === "failed" ? lastFailed : lastSkipped}</strong>{" "}
        <Time at={failed_at ?? skipped_at} />,{" "}
        <a href={link(["campaigns", campaign_id])}>{campaign_name || campaign_id}</a>:{" "}
        {meaningOf(code) ?? reason ?? advice?.meaning}
        {advice && <small>{advice.what_to_do}</small>}
      </span>
    </li>
  );
}
