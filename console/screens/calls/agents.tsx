import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, may } from "../../data/company.ts";
import type { List } from "../../data/list.ts";
import { route } from "../../data/route.ts";
import { type Agent, createAgent, disableAgent, enableAgent } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { Copy } from "../../components/copy.tsx";
import { Empty } from "../../components/empty.tsx";
import { Field } from "../../components/form/fields.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { useAgents } from "./call_list.ts";
import { words } from "../../i18n/words.ts";

/** The voice agents that may make calls. */
export function Agents() {
  const { status } = route.value.query;
  const list = useAgents(status);
  const [isAdding, setAdding] = useState(false);
  const { agents, addAgent, status: state, noAgents, noAgentsHelp, noneLike } = words().calls;
  const { active, disabled } = words().common.statuses;
  return (
    <>
      <FilterBar
        filters={[{
          kind: "choice",
          name: "status",
          label: state,
          options: [["active", active!], ["disabled", disabled!]],
        }]}
      >
        {may("operator") && (
          <Button kind="main" icon="plus" onPress={() => setAdding(true)}>{addAgent}</Button>
        )}
      </FilterBar>
      <DataTable
        label={agents}
        list={list}
        columns={columns(list)}
        empty={status ? <Empty title={noneLike} /> : <Empty title={noAgents}>{noAgentsHelp}</Empty>}
      />
      {isAdding && (
        <AddAgent
          onClose={() => {
            setAdding(false);
            list.reload();
          }}
        />
      )}
    </>
  );
}

function columns(list: List<Agent>): Column<Agent>[] {
  const { name, status, platformId, added, actions, enable, disable } = words().calls;
  return [
    { name: "name", title: name, cell: (agent) => agent.name, sortBy: (agent) => agent.name },
    { name: "status", title: status, width: "112px", cell: (agent) => <StatusBadge status={agent.status} /> },
    {
      name: "provider",
      title: platformId,
      from: "wide",
      cell: ({ platform_agent_id }) => (
        <span class="with-copy">
          <code>{platform_agent_id}</code>
          <Copy text={platform_agent_id} />
        </span>
      ),
    },
    timeColumn("added", added, ({ created_at }) => created_at),
    ...(may("operator")
      ? [{
        name: "actions",
        title: actions,
        width: "120px",
        cell: (agent: Agent) => (
          <Button
            kind="quiet"
            onPress={() => agent.status === "active" ? turnOff(agent, list) : turnOn(agent, list)}
          >
            {agent.status === "active" ? disable : enable}
          </Button>
        ),
      }]
      : []),
  ];
}

async function turnOff(agent: Agent, list: List<Agent>): Promise<void> {
  const { disableTitle, disableText, disable, disabled } = words().calls;
  const isConfirmed = await confirm({
    title: disableTitle(agent.name),
    text: disableText,
    action: disable,
    isDanger: true,
  });
  if (!isConfirmed) return;
  const path = { company_id: companyId(), agent_id: agent.agent_id };
  const changed = await attempt(() => ask(disableAgent({ client: api(), path })));
  if (changed === undefined) return;
  list.patch(agent.agent_id, changed);
  toast(disabled(agent.name));
}

async function turnOn(agent: Agent, list: List<Agent>): Promise<void> {
  const path = { company_id: companyId(), agent_id: agent.agent_id };
  const changed = await attempt(() => ask(enableAgent({ client: api(), path })));
  if (changed === undefined) return;
  list.patch(agent.agent_id, changed);
  toast(words().calls.enabled(agent.name));
}

function AddAgent({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [platformId, setPlatformId] = useState("");
  const names = words().calls;

  async function save(): Promise<void> {
    const body = { name, platform_agent_id: platformId };
    await ask(createAgent({ client: api(), path: { company_id: companyId() }, body }));
    toast(names.agentAdded(name));
    onClose();
  }

  return (
    <FormDialog title={names.addAgent} action={names.addAgent} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          <Field label={names.name} value={name} error={errorOf("name")} onChange={setName} />
          <Field
            label={names.platformId}
            help={names.platformHelp}
            placeholder="agent_7101k5zvyjhm"
            value={platformId}
            error={errorOf("platform_agent_id")}
            onChange={setPlatformId}
          />
        </>
      )}
    </FormDialog>
  );
}
