import type { Person } from "../../data/sdk.ts";
import { Empty } from "../../parts/empty.tsx";
import { Section } from "../../parts/page_head.tsx";
import { StatusBadge } from "../../parts/status_badge.tsx";
import { Time } from "../../parts/time.tsx";
import { words as listWords } from "../contacts/words.ts";
import { titleOf } from "./address_title.ts";
import { consentsOf, evidenceOf, type PersonUserId, suppressionsOf } from "./standing.ts";
import { words } from "./words.ts";

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
  const { suppressions, category, categories, channels, source, sources, at, liftedAt } = listWords();
  const { noSuppressions, evidence, address } = words();
  return (
    <Section title={suppressions}>
      {rows.length === 0 ? <Empty title={noSuppressions} /> : (
        <table class="plain-table">
          <thead>
            <tr>
              {[category, source, evidence, address, at, liftedAt].map((title) => (
                <th key={title} scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <th scope="row">
                  {categories[row.category]} <small>{channels[row.channel]}</small>
                </th>
                <td>{sources[row.source]}</td>
                <td>{evidenceOf(row)}</td>
                <td>{titleOf(row.address)}</td>
                <td>
                  <Time at={row.at} />
                </td>
                <td>
                  <Time at={row.lifted_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function Consents({ person }: { person: Person }) {
  const rows = consentsOf(person);
  const { consents, status, agreedTo, agreements, channels, method, consentedAt } = listWords();
  const { noConsents, address } = words();
  return (
    <Section title={consents}>
      {rows.length === 0 ? <Empty title={noConsents} /> : (
        <table class="plain-table">
          <thead>
            <tr>
              {[status, agreedTo, method, address, consentedAt].map((title) => (
                <th key={title} scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <th scope="row">
                  <StatusBadge status={row.status} />
                </th>
                <td>
                  {agreements[row.category]} <small>{channels[row.channel]}</small>
                </td>
                <td>
                  {row.method} <small>{row.detail}</small>
                </td>
                <td>{titleOf(row.address)}</td>
                <td>
                  <Time at={row.consented_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function Addresses({ person }: { person: Person }) {
  const ids = person.user_ids as unknown as PersonUserId[];
  const numbers = person.addresses.filter((address) => /^\d/.test(address));
  const { addresses, number, spelling, userId, username, seen } = words();
  return (
    <Section title={addresses}>
      <table class="plain-table">
        <thead>
          <tr>
            {[addresses, "", seen].map((title, index) => <th key={index} scope="col">{title}</th>)}
          </tr>
        </thead>
        <tbody>
          {numbers.map((address, index) => (
            <tr key={address}>
              <th scope="row">{titleOf(address)}</th>
              <td>{index === 0 ? number : spelling}</td>
              <td>–</td>
            </tr>
          ))}
          {ids.map(({ user_id, username: name, seen_at }) => (
            <tr key={user_id}>
              <th scope="row">{user_id}</th>
              <td>
                {userId} {name && <small>{username(name)}</small>}
              </td>
              <td>
                <Time at={seen_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
