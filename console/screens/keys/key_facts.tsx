import type { ComponentChildren } from "preact";
import { link } from "../../data/company.ts";
import type { CompanyKey } from "../../data/sdk.ts";
import { Fact, Facts } from "../../components/facts.tsx";
import { Time } from "../../components/time.tsx";
import { keyWords } from "../../i18n/key_words.ts";

/** The rights of a key, its limits, and how it was used. */
export function KeyFacts({ apiKey: key, children }: {
  apiKey: Omit<CompanyKey, "is_active">;
  /** Further facts, between its rights and its use. */
  children?: ComponentChildren;
}) {
  const names = keyWords();
  return (
    <Facts>
      <Fact name={names.permissions}>
        <span class="chips">{key.permissions.map((each) => <code key={each}>{each}</code>)}</span>
      </Fact>
      <Fact name={names.rateLimit}>{names.perMinute(key.rate_limit)}</Fact>
      <Fact name={names.quota}>{names.perDay(key.daily_quota)}</Fact>
      {children}
      <Fact name={names.lastUsed}>
        {key.last_used_at ? <Time at={key.last_used_at} /> : names.never}
      </Fact>
      <Fact name={names.usedFrom}>{key.last_used_address && <code>{key.last_used_address}</code>}</Fact>
      <Fact name={names.oldUntil}>{key.old_expires_at && <Time at={key.old_expires_at} />}</Fact>
      <Fact name={names.created}>
        <Time at={key.created_at} /> · <a href={link(["audit"], { subject: key.key_id })}>{names.history}</a>
      </Fact>
    </Facts>
  );
}
