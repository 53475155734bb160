import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import type { CampaignDetails } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { TechnicalDetails } from "../../components/failure_reason.tsx";
import { Section } from "../../components/page_head.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import { explained } from "../../i18n/codes.ts";
import { count } from "../../i18n/format.ts";
import { type CampaignPath, useFailures } from "./campaign_data.ts";
import { ResendDialog } from "./resend_dialog.tsx";
import { words } from "../../i18n/words.ts";

/** Why recipients failed, the most frequent reason first, with what to do about it. */
export function FailureTable({ campaign, path }: { campaign: CampaignDetails; path: CampaignPath }) {
  const { data, problem, reload } = useFailures(path);
  const [resent, setResent] = useState<string>();
  const names = words().campaign;
  const failures = data?.failures ?? [];
  if (campaign.status === "scheduled" && failures.length === 0 && !problem) return null;
  return (
    <Section title={names.failures}>
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {data && failures.length === 0 && <p class="facts">{names.noFailures}</p>}
      {failures.length > 0 && (
        <PlainTable
          rows={failures.map(explained)}
          keyOf={({ status, code }) => `${status} ${code}`}
          columns={[
            {
              title: names.reason,
              cell: ({ meaning, code }) => (
                <>
                  {meaning}
                  <TechnicalDetails code={code} />
                </>
              ),
            },
            {
              title: names.count,
              align: "end",
              cell: ({ status, code, count: number, resent }) => (
                <>
                  <a href={link(["campaigns", path.campaign_id], { tab: "recipients", status, code })}>
                    {count(number)}
                  </a>
                  {resent > 0 && <small>{names.resentCount(resent)}</small>}
                </>
              ),
            },
            {
              title: names.todo,
              cell: ({ what_to_do, can_pass, resent, count: number, code }) => (
                <>
                  {what_to_do}
                  {can_pass && resent < number && may("operator") && (
                    <Button
                      kind="quiet"
                      icon="again"
                      onPress={() => setResent(code)}
                    >
                      {names.resendThese}
                    </Button>
                  )}
                </>
              ),
            },
          ]}
        />
      )}
      {resent !== undefined && (
        <ResendDialog
          {...{ campaign, path }}
          code={resent}
          onClose={() => setResent(undefined)}
        />
      )}
    </Section>
  );
}
