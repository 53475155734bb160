import { useState } from "preact/hooks";
import { may } from "../../data/company.ts";
import { isLikeNumber } from "../../data/contact_text.ts";
import { readPhone } from "../../data/people.ts";
import type { ContactAddress } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Copy } from "../../components/copy.tsx";
import { Field } from "../../components/form/fields.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { attempt } from "../../components/dialog/toast.tsx";
import { titleOf } from "./address_title.ts";
import type { Change, Contact } from "./contact_data.ts";
import { words } from "../../i18n/words.ts";

type Addresses = NonNullable<Parameters<Change>[0]["addresses"]>;

/** How the person is reached. */
export function Addresses({ contact: { addresses }, change }: { contact: Contact; change: Change }) {
  const [typed, setTyped] = useState("");
  const names = words().contact;

  async function add(event: Event): Promise<void> {
    event.preventDefault();
    const added = await attempt(() => addressIn(typed));
    if (added && await change({ addresses: [...addresses, added] as Addresses })) setTyped("");
  }

  async function remove(address: ContactAddress): Promise<void> {
    const title = titleOf(address.address);
    const question = {
      title: names.removeAddress(title),
      text: names.removeAddressText,
      action: words().common.remove,
    };
    if (!await confirm({ ...question, isDanger: true })) return;
    await change({ addresses: addresses.filter((each) => each !== address) as Addresses });
  }

  return (
    <>
      <ul class="plain-list">
        {addresses.map((each) => (
          <li key={`${each.kind} ${each.address}`} class="with-copy">
            <span>
              {titleOf(each.address)} <small>{names.addressKinds[each.kind]}</small>
            </span>
            <Copy text={titleOf(each.address)} />
            {may("operator") && addresses.length > 1 && (
              <Button
                kind="quiet"
                icon="close"
                label={`${words().common.remove}: ${titleOf(each.address)}`}
                onPress={() => remove(each)}
              />
            )}
          </li>
        ))}
      </ul>
      {may("operator") && (
        <form class="inline-editor" onSubmit={add}>
          <Field
            label={names.addAddress}
            hideLabel
            placeholder={names.addAddress}
            value={typed}
            onChange={setTyped}
          />
          <Button type="submit" disabled={typed.trim() === ""}>{words().common.add}</Button>
        </form>
      )}
    </>
  );
}

/** Reads a number in any spelling, or an e-mail address. */
async function addressIn(typed: string): Promise<ContactAddress> {
  if (typed.includes("@") || !isLikeNumber(typed)) return { kind: "email", address: typed.trim() };
  return { kind: "number", address: (await readPhone(typed)).read_number!.number };
}
