import { link } from "../../data/company.ts";
import { changeQuery, route } from "../../data/route.ts";
import type { CampaignDetails, Recipient } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { numberFilter } from "../../components/form/number_filter.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { explained, meaningOf } from "../../i18n/codes.ts";
import { type CampaignPath, downloadRecipients, useFailures, useRecipients } from "./campaign_data.ts";
import { recipientColumns } from "./recipient_columns.tsx";
import { RecipientDrawer } from "./recipient_drawer.tsx";
import { words } from "../../i18n/words.ts";

const STATUSES = [
  "scheduled",
  "queued",
  "sending",
  "unconfirmed",
  "sent",
  "delivered",
  "read",
  "failed",
  "cancelled",
  "skipped",
] as const satisfies Recipient["status"][];

/** All recipients of a campaign, found by number, status and code. */
export function Recipients({ campaign, path }: { campaign: CampaignDetails; path: CampaignPath }) {
  const { status, code, number, recipient } = route.value.query;
  const filters = { ...(status && { status }), ...(code && { code }), ...(number && { number }) };
  const list = useRecipients(path, filters);
  const names = words().campaign;
  const isFiltered = Boolean(status || code || number);
  const shown = recipient && list.rows?.find(({ notification_id }) => notification_id === recipient);

  async function save(): Promise<void> {
    await attempt(async () => {
      await downloadRecipients(path, filters);
      toast(names.csvSaved);
    });
  }

  return (
    <>
      <FilterBar
        filters={[
          numberFilter(),
          {
            kind: "choice",
            name: "status",
            label: names.status,
            options: STATUSES.map((each) => [each, words().common.statuses[each]!] as const),
          },
          { kind: "choice", name: "code", label: names.reason, options: useReasons(path, code) },
        ]}
      >
        <Button icon="download" onPress={save}>{names.csv}</Button>
      </FilterBar>
      <DataTable
        label={names.recipients}
        list={list}
        columns={recipientColumns(campaign)}
        total={isFiltered ? undefined : campaign.total}
        hrefOf={({ notification_id }) =>
          link(["campaigns", path.campaign_id], { ...route.value.query, recipient: notification_id })}
        empty={isFiltered
          ? <Empty title={names.noneLike} />
          : <Empty title={names.noRecipients}>{names.noRecipientsHelp}</Empty>}
      />
      {shown && (
        <RecipientDrawer
          recipient={shown}
          path={path}
          zone={campaign.timezone}
          onClose={() => changeQuery({ recipient: undefined })}
        />
      )}
    </>
  );
}

/** The reasons of this campaign, and the one in the address whether it is among them or not. */
function useReasons(path: CampaignPath, chosen: string | undefined): [code: string, meaning: string][] {
  const failures = useFailures(path).data?.failures ?? [];
  const reasons = new Map(failures.map(explained).map(({ code, meaning }) => [code, meaning]));
  if (chosen && !reasons.has(chosen)) reasons.set(chosen, meaningOf(chosen) ?? chosen);
  return [...reasons];
}
