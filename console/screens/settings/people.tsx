import { useEffect, useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, may } from "../../data/company.ts";
import { useAttributes } from "../../data/people.ts";
import {
  addContactAttributes,
  changeSettings,
  type ContactAttribute,
  getIdentitySecret,
  rotateIdentitySecret,
} from "../../data/sdk.ts";
import { Problem } from "../../data/problem.ts";
import { Button } from "../../components/button.tsx";
import { Copy } from "../../components/copy.tsx";
import { Checkbox, Field, Select } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { Section } from "../../components/page_head.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import type { SectionProps } from "./settings_data.ts";
import { changing } from "./settings_form.tsx";
import { words } from "../../i18n/words.ts";

/** Which people are kept, what is kept of them, and how a website says who they are. */
export function PeopleSection({ settings: { learn_contacts, etag }, onSaved }: SectionProps) {
  // Shown as it was set while it is stored.
  const [learns, setLearns] = useState(learn_contacts);
  useEffect(() => setLearns(learn_contacts), [learn_contacts]);
  const names = words().settings;

  async function learn(learn_contacts: boolean): Promise<void> {
    setLearns(learn_contacts);
    const done = await attempt(() =>
      ask(changeSettings({ ...changing({ etag }), body: { learn_contacts } }))
    );
    if (done) toast(words().common.saved);
    else setLearns(!learn_contacts);
    onSaved();
  }

  return (
    <Section title={names.people}>
      <div class="panel form">
        <Checkbox
          label={names.learn}
          help={names.learnHelp}
          value={learns}
          disabled={!may("operator")}
          onChange={learn}
        />
        <Attributes />
        {may("owner") && <Identity />}
      </div>
    </Section>
  );
}

function Attributes() {
  const [isAdding, setAdding] = useState(false);
  const { data: attributes = [], reload } = useAttributes();
  const names = words().settings;
  return (
    <>
      <h3>{names.attributes}</h3>
      {attributes.length === 0 ? <p class="help">{names.noAttributes}</p> : (
        <PlainTable
          rows={attributes}
          keyOf={({ name }) => name}
          columns={[
            { title: words().contacts.name, cell: ({ name }) => name },
            { title: names.attributeType, cell: ({ type }) => names.attributeTypes[type] },
          ]}
        />
      )}
      {may("operator") && (
        <div>
          <Button icon="plus" onPress={() => setAdding(true)}>{names.addAttribute}</Button>
        </div>
      )}
      {isAdding && (
        <AttributeDialog
          onClose={() => {
            setAdding(false);
            reload();
          }}
        />
      )}
    </>
  );
}

const NAME = /^[\p{L}\p{N}_-]{1,64}$/u;

function AttributeDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [type, setType] = useState<ContactAttribute["type"]>("text");
  const names = words().settings;

  async function save(): Promise<void> {
    if (!NAME.test(name)) {
      throw new Problem("validation_failed", names.attributeNameHelp, { details: { field: "name" } });
    }
    const path = { company_id: companyId() };
    await ask(addContactAttributes({ client: api(), path, body: { attributes: [{ name, type }] } }));
    onClose();
  }

  return (
    <FormDialog title={names.addAttribute} action={words().common.save} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          <Field
            label={words().contacts.name}
            help={names.attributeNameHelp}
            value={name}
            error={errorOf("name") ?? errorOf("attributes")}
            onChange={setName}
          />
          <Select
            label={names.attributeType}
            help={names.attributeTypeHelp}
            value={type}
            options={Object.entries(names.attributeTypes) as [ContactAttribute["type"], string][]}
            onChange={setType}
          />
        </>
      )}
    </FormDialog>
  );
}

/** The secret with which the company's server signs who a visitor is. */
function Identity() {
  const [secret, setSecret] = useState<string>();
  const names = words().settings;
  const request = { client: api(), path: { company_id: companyId() } };

  async function show(): Promise<void> {
    try {
      setSecret((await ask(getIdentitySecret(request))).secret);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === "not_found") toast(names.noIdentity);
      else await attempt(() => Promise.reject(error));
    }
  }

  async function rotate(): Promise<void> {
    const question = { title: names.rotateTitle, text: names.rotateText, action: names.rotateIdentity };
    if (!await confirm({ ...question, isDanger: true })) return;
    const made = await attempt(() => ask(rotateIdentitySecret(request)));
    if (made) setSecret(made.secret);
  }

  return (
    <>
      <h3>{names.identity}</h3>
      <p class="help">{names.identityHelp}</p>
      <div class="form-end">
        <Button onPress={show}>{names.showIdentity}</Button>
        <Button onPress={rotate}>{names.rotateIdentity}</Button>
      </div>
      {secret && (
        <p class="secret">
          <code>{secret}</code>
          <Copy text={secret} />
        </p>
      )}
    </>
  );
}
