import { link } from "../../data/company.ts";
import type { Campaign } from "../../data/sdk.ts";
import { ErrorNotice } from "../../parts/error_notice.tsx";
import { Section } from "../../parts/page_head.tsx";
import { explained } from "../../words/failures/failures.ts";
import { count } from "../../words/format.ts";
import { useFailureReasons } from "./failure_reasons.ts";
import { words } from "./words.ts";

/** Why messages of the latest campaigns failed, with what to do. */
export function Failures({ campaigns }: { campaigns: Campaign[] }) {
  const { data: reasons, problem, reload } = useFailureReasons(campaigns);
  const { failures, failuresNote, noFailures, reason, todo, count: counted } = words();
  return (
    <Section title={failures} actions={<span class="facts">{failuresNote}</span>}>
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {reasons?.length === 0 && <p class="facts">{noFailures}</p>}
      {reasons && reasons.length > 0 && (
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{reason}</th>
              <th scope="col" class="end">{counted}</th>
              <th scope="col">{todo}</th>
            </tr>
          </thead>
          <tbody>
            {reasons.map(explained).map(({ code, meaning, what_to_do, count: number, campaignId }) => (
              <tr key={code}>
                <th scope="row">
                  {meaning} <code>{code}</code>
                </th>
                <td class="end">
                  <a href={link(["campaigns", campaignId], { tab: "recipients", code })}>{count(number)}</a>
                </td>
                <td>{what_to_do}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}
