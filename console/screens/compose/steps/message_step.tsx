import { link } from "../../../data/company.ts";
import { changeQuery, route } from "../../../data/route.ts";
import type { Agent, Sender, TemplateSummary } from "../../../data/sdk.ts";
import type { List } from "../../../data/list.ts";
import { ButtonLink } from "../../../components/button.tsx";
import { Empty } from "../../../components/empty.tsx";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { Labelled, Select } from "../../../components/form/fields.tsx";
import { phone } from "../../../i18n/format.ts";
import { words } from "../../../i18n/words.ts";

export interface MessageLists {
  templates: List<TemplateSummary>;
  agents: Agent[] | undefined;
  /** Those that can send. */
  senders: Sender[] | undefined;
}

/** The message or the agent, and the number it comes from. The choices are in the address. */
export function MessageStep({ lists, senders, sender }: {
  lists: MessageLists;
  /** Those of the message's channel and account. */
  senders: Sender[];
  sender: Sender | undefined;
}) {
  const { channel, template, agent } = route.value.query;
  const names = words().compose;
  const { templates } = lists;
  const hasVoice = lists.senders?.some((each) => each.channel === "voice");
  const agents = hasVoice ? lists.agents ?? [] : [];
  const choose = (id: string) =>
    changeQuery(
      agents.some(({ agent_id }) => agent_id === id)
        ? { channel: "voice", template: "", agent: id, sender: "" }
        : { channel: "", template: id, agent: "", sender: "" },
    );
  const approved = templates.rows?.filter(({ status }) => status === "approved") ?? [];
  return (
    <section class="step">
      <h2>{names.message}</h2>
      {templates.problem && <ErrorNotice problem={templates.problem} onRetry={templates.reload} />}
      <div class="form">
        <div class="form-row">
          <Labelled
            label={hasVoice ? names.templateOrAgent : names.template}
            help={hasVoice && agents.length === 0 ? names.noAgents : names.templateHelp}
          >
            {(aria) => (
              <select
                {...aria}
                value={channel === "voice" ? agent ?? "" : template ?? ""}
                onChange={(event) => choose(event.currentTarget.value)}
              >
                <option value="">{names.choose}</option>
                {approved.map(({ template_id, name, language }) => (
                  <option key={template_id} value={template_id}>{name} ({language})</option>
                ))}
                {agents.length > 0 && (
                  <optgroup label={names.agents}>
                    {agents.map(({ agent_id, name }) => (
                      <option key={agent_id} value={agent_id}>{name}</option>
                    ))}
                  </optgroup>
                )}
              </select>
            )}
          </Labelled>
          <Select
            label={names.sender}
            value={sender?.sender_id ?? ""}
            options={senders.length === 0
              ? [["", names.noSenders]]
              : senders.map(({ sender_id, number }) => [sender_id, phone(number)] as const)}
            onChange={(value) => changeQuery({ sender: value })}
          />
        </div>
        {templates.isComplete && approved.length === 0 && channel !== "voice" && (
          <Empty
            title={names.noTemplates}
            action={<ButtonLink href={link(["templates", "new"])}>{names.toNewTemplate}</ButtonLink>}
          >
            {names.noTemplatesHelp}
          </Empty>
        )}
        {lists.senders?.length === 0 && (
          <Empty
            title={names.noSenders}
            action={<ButtonLink href={link(["senders"])}>{names.toSenders}</ButtonLink>}
          >
            {names.noSendersHelp}
          </Empty>
        )}
      </div>
    </section>
  );
}
