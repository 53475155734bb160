import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { navigate } from "../../data/route.ts";
import { createWidget, type WidgetRequest } from "../../data/sdk.ts";
import { Field, Select } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { words } from "../../i18n/words.ts";

/** Creates a widget, and leads to it. */
export function NewWidgetForm({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<WidgetRequest["kind"]>("chat");
  const [name, setName] = useState("");
  const [agent, setAgent] = useState("");
  const names = words().widgets;

  async function create(): Promise<void> {
    const body: WidgetRequest = {
      kind,
      name,
      ...(kind === "voice" && { config: { agent_id: agent.trim() } }),
    };
    const path = { company_id: companyId() };
    const { widget_id } = await ask(createWidget({ client: api(), path, body }));
    toast(names.created_);
    onClose();
    navigate(link(["widgets", widget_id]));
  }

  return (
    <FormDialog title={names.create} action={names.create} onSave={create} onClose={onClose}>
      {(errorOf) => (
        <>
          <Select
            label={names.kind}
            value={kind}
            options={Object.entries(names.kinds) as [WidgetRequest["kind"], string][]}
            onChange={setKind}
          />
          <Field
            label={names.name}
            help={names.nameHelp}
            value={name}
            error={errorOf("name")}
            onChange={setName}
          />
          {kind === "voice" && (
            <Field
              label={names.agent}
              help={names.agentHelp}
              value={agent}
              error={errorOf("config.agent_id")}
              onChange={setAgent}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
