import { useState } from "preact/hooks";
import { cleanAddress, isAddress } from "../../data/addresses.ts";
import { link } from "../../data/company.ts";
import { navigate } from "../../data/route.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/form/fields.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Consents } from "./consents.tsx";
import { Suppressions } from "./suppressions.tsx";
import { words } from "../../i18n/words.ts";

/** Finds a person, and lists who opted out and who agreed. */
export default function Contacts() {
  const { title, lists, suppressions, consents } = words().contacts;
  return (
    <>
      <PageHead title={title} />
      <Find />
      <Tabs
        label={lists}
        tabs={[
          { name: "suppressions", title: suppressions, content: () => <Suppressions /> },
          { name: "consents", title: consents, content: () => <Consents /> },
        ]}
      />
    </>
  );
}

function Find() {
  const [typed, setTyped] = useState("");
  const [isTried, setTried] = useState(false);
  const { find, findHelp, findAction, addressHelp } = words().contacts;
  const address = cleanAddress(typed);

  function submit(event: Event): void {
    event.preventDefault();
    setTried(true);
    if (isAddress(address)) navigate(link(["contacts", address]));
  }

  return (
    <form class="find" role="search" aria-label={findAction} onSubmit={submit} noValidate>
      <Field
        type="search"
        label={find}
        help={findHelp}
        placeholder="+34 600 111 222"
        value={typed}
        error={isTried && !isAddress(address) ? addressHelp : undefined}
        onChange={(value) => {
          setTyped(value);
          setTried(false);
        }}
      />
      <Button type="submit" kind="main" icon="search">{findAction}</Button>
    </form>
  );
}
