import { link } from "../../data/company.ts";
import type { Overview } from "../../data/sdk.ts";
import { Section } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { describeWait } from "../../components/wait.ts";
import { meaningOf } from "../../i18n/codes.ts";
import { count, phone } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** Senders, rules and templates that keep messages from leaving. */
export function Trouble({ overview }: { overview: Overview }) {
  const { senders_in_trouble, campaigns, wait, put_off } = overview;
  const names = words().overview;
  const held = campaigns.held_by_template;
  if (senders_in_trouble.length === 0 && held === 0 && !wait) return null;
  return (
    <Section title={names.trouble}>
      <ul class="lines">
        {senders_in_trouble.map(({ sender_id, number, trouble, code, reason }) => (
          <li key={sender_id}>
            <StatusBadge status={trouble} />
            <a href={link(["senders", sender_id])}>{phone(number)}</a>
            <span>{trouble === "stopped" ? meaningOf(code) ?? reason : names.troubles[trouble]}</span>
          </li>
        ))}
        {wait && (
          <li>
            <StatusBadge status="waiting" />
            <a href={link(["campaigns"], { open: "true" })}>{describeWait(wait, put_off)}</a>
          </li>
        )}
        {held > 0 && (
          <li>
            <StatusBadge status="paused" />
            <a href={link(["templates"])}>{names.templatesWait(count(held))}</a>
          </li>
        )}
      </ul>
    </Section>
  );
}
