import { link } from "../../data/company.ts";
import { changeQuery, route } from "../../data/route.ts";
import type { KeyRequest } from "../../data/sdk.ts";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { Section } from "../../components/page_head.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { milliseconds } from "../../i18n/format.ts";
import { BodiesSwitch } from "./bodies_switch.tsx";
import { useKeyRequests } from "./key_data.ts";
import { RequestDrawer } from "./request_drawer.tsx";
import { keyWords } from "../../i18n/key_words.ts";

const REQUEST_ID = /^req_[0-9a-f]{32}$/;

/** The requests of the last days that were made with a key. */
export function KeyRequests({ keyId }: { keyId: string }) {
  const { path: address, query: { path, code, request_id, refused, request } } = route.value;
  const list = useKeyRequests(keyId, { path, code, request_id, refused });
  const names = keyWords();
  const isFiltered = Boolean(path || code || request_id || refused);
  return (
    <Section title={names.requestsOf} actions={<BodiesSwitch />}>
      <p class="help">{names.requestsHelp}</p>
      <FilterBar
        filters={[
          {
            kind: "choice",
            name: "refused",
            label: names.result,
            options: [["true", names.refusedOnly], ["false", names.fineOnly]],
          },
          { kind: "text", name: "path", label: names.path, placeholder: "/notify" },
          { kind: "text", name: "code", label: names.code, placeholder: "validation_failed" },
          {
            kind: "text",
            name: "request_id",
            label: names.requestId,
            placeholder: "req_…",
            check: (value) => REQUEST_ID.test(value) ? undefined : names.requestIdForm,
          },
        ]}
      />
      <DataTable
        label={names.requestsOf}
        list={list}
        columns={columns()}
        hrefOf={(row) => link(address.slice(1), { ...route.value.query, request: row.request_id })}
        empty={isFiltered ? <Empty title={names.noRequestsLike} /> : <Empty title={names.noRequests} />}
      />
      {request && (
        <RequestDrawer
          key={request}
          keyId={keyId}
          requestId={request}
          onClose={() => changeQuery({ request: undefined })}
        />
      )}
    </Section>
  );
}

function columns(): Column<KeyRequest>[] {
  const names = keyWords();
  return [
    {
      name: "request",
      title: names.request,
      cell: ({ method, path, request_id, stands_for }) => (
        <>
          <code title={request_id}>{method} {path}</code>
          {stands_for > 1 && <span class="facts">{names.standsFor(stands_for)}</span>}
        </>
      ),
    },
    {
      name: "response",
      title: names.response,
      width: "208px",
      cell: ({ status, code }) => <code>{code === null ? status : `${status} ${code}`}</code>,
    },
    {
      name: "took",
      title: names.took,
      width: "104px",
      align: "end",
      from: "wide",
      cell: ({ duration_ms }) => milliseconds(duration_ms),
    },
    timeColumn("at", names.at, ({ at }) => at),
  ];
}
