import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Consents } from "./consents.tsx";
import { NewContact } from "./new_contact.tsx";
import { People } from "./people.tsx";
import { Suppressions } from "./suppressions.tsx";
import { words } from "../../i18n/words.ts";

/** The people of the company, who of them opted out and who agreed. */
export default function Contacts() {
  const [isAdding, setAdding] = useState(false);
  const names = words().contacts;
  return (
    <>
      <PageHead
        title={names.title}
        actions={may("operator") && (
          <>
            <ButtonLink icon="upload" href={link(["contacts", "import"])}>{names.importFile}</ButtonLink>
            <Button kind="main" icon="plus" onPress={() => setAdding(true)}>{names.newContact}</Button>
          </>
        )}
      />
      <Tabs
        label={names.lists}
        tabs={[
          { name: "people", title: names.people, content: () => <People /> },
          { name: "suppressions", title: names.suppressions, content: () => <Suppressions /> },
          { name: "consents", title: names.consents, content: () => <Consents /> },
        ]}
      />
      {isAdding && <NewContact onClose={() => setAdding(false)} />}
    </>
  );
}
