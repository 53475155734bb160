import type { Person } from "../../data/sdk.ts";
import { Empty } from "../../components/empty.tsx";
import { Section } from "../../components/page_head.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Time } from "../../components/time.tsx";
import { titleOf } from "./address_title.ts";
import { consentsOf, evidenceOf, type PersonUserId, suppressionsOf } from "./consent_state.ts";
import { words } from "../../i18n/words.ts";

/** All opt-outs and consents of the person, also those that no longer count, and every known address. */
export function Ledger({ person }: { person: Person }) {
  return (
    <>
      <Suppressions person={person} />
      <Consents person={person} />
      <Addresses person={person} />
    </>
  );
}

function Suppressions({ person }: { person: Person }) {
  const rows = suppressionsOf(person);
  const { suppressions, category, categories, channels, source, sources, at, liftedAt } = words().contacts;
  const { noSuppressions, evidence, address } = words().contact;
  return (
    <Section title={suppressions}>
      {rows.length === 0 ? <Empty title={noSuppressions} /> : (
        <PlainTable
          rows={rows}
          keyOf={(row) => [row.address, row.channel, row.category, row.source, row.at].join(" ")}
          columns={[
            {
              title: category,
              cell: (row) => (
                <>
                  {categories[row.category]} <small>{channels[row.channel]}</small>
                </>
              ),
            },
            { title: source, cell: (row) => sources[row.source] },
            { title: evidence, cell: evidenceOf },
            { title: address, cell: (row) => titleOf(row.address) },
            { title: at, cell: (row) => <Time at={row.at} /> },
            { title: liftedAt, cell: (row) => <Time at={row.lifted_at} /> },
          ]}
        />
      )}
    </Section>
  );
}

function Consents({ person }: { person: Person }) {
  const rows = consentsOf(person);
  const { consents, status, agreedTo, agreements, channels, method, consentedAt } = words().contacts;
  const { noConsents, address } = words().contact;
  return (
    <Section title={consents}>
      {rows.length === 0 ? <Empty title={noConsents} /> : (
        <PlainTable
          rows={rows}
          keyOf={(row) => [row.address, row.channel, row.category, row.status, row.consented_at].join(" ")}
          columns={[
            { title: status, cell: (row) => <StatusBadge status={row.status} /> },
            {
              title: agreedTo,
              cell: (row) => (
                <>
                  {agreements[row.category]} <small>{channels[row.channel]}</small>
                </>
              ),
            },
            {
              title: method,
              cell: (row) => (
                <>
                  {row.method} <small>{row.detail}</small>
                </>
              ),
            },
            { title: address, cell: (row) => titleOf(row.address) },
            { title: consentedAt, cell: (row) => <Time at={row.consented_at} /> },
          ]}
        />
      )}
    </Section>
  );
}

interface KnownAddress {
  address: string;
  what: string;
  username: string | null;
  seenAt: string | null;
}

function Addresses({ person }: { person: Person }) {
  const { addresses, kind, number, alias, userId, username, seen } = words().contact;
  const numbers = person.addresses.filter((address) => /^\d/.test(address));
  const rows: KnownAddress[] = [
    ...numbers.map((address, index) => ({
      address: titleOf(address),
      what: index === 0 ? number : alias,
      username: null,
      seenAt: null,
    })),
    ...(person.user_ids as unknown as PersonUserId[]).map((id) => ({
      address: id.user_id,
      what: userId,
      username: id.username,
      seenAt: id.seen_at,
    })),
  ];
  return (
    <Section title={addresses}>
      <PlainTable
        rows={rows}
        keyOf={({ address }) => address}
        columns={[
          { title: addresses, cell: ({ address }) => address },
          {
            title: kind,
            cell: ({ what, username: name }) => <>{what} {name && <small>{username(name)}</small>}</>,
          },
          { title: seen, cell: ({ seenAt }) => <Time at={seenAt} /> },
        ]}
      />
    </Section>
  );
}
