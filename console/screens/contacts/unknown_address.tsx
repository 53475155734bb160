import { useState } from "preact/hooks";
import { cleanAddress, isAddress } from "../../data/addresses.ts";
import { companyId, link, may } from "../../data/company.ts";
import { isLikeNumber } from "../../data/contact_text.ts";
import { readPhone } from "../../data/people.ts";
import { useQuery } from "../../data/query.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { country, phone } from "../../i18n/format.ts";
import { NewContact } from "./new_contact.tsx";
import { words } from "../../i18n/words.ts";

/** Stands for an address that no contact has: says how a number was read, and leads to what else is known of it. */
export function UnknownAddress({ typed }: { typed: string }) {
  const [isAdding, setAdding] = useState(false);
  const isNumber = isLikeNumber(typed);
  const { data, problem } = useQuery(
    `read number ${companyId()} ${typed}`,
    async (signal) => isNumber ? (await readPhone(typed, signal)).read_number : null,
  );
  const names = words().contacts;
  if (problem) return <Empty title={names.noneLike}>{problem.message}</Empty>;
  if (data === undefined) return <p class="loading" role="status">{words().common.loading}</p>;
  const address = data?.number ?? (isAddress(typed.trim()) ? cleanAddress(typed) : undefined);
  if (address === undefined) return <Empty title={names.noneLike} />;
  return (
    <>
      <Empty
        title={names.notStored}
        action={
          <div class="actions">
            <ButtonLink href={link(["contacts", address])}>{names.openAddress}</ButtonLink>
            {may("operator") && isNumber && (
              <Button icon="plus" onPress={() => setAdding(true)}>{names.newContact}</Button>
            )}
          </div>
        }
      >
        {data && names.readAs(phone(data.number), data.country && country(data.country))}
      </Empty>
      {isAdding && <NewContact number={data?.number} onClose={() => setAdding(false)} />}
    </>
  );
}
