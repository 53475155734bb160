import { link } from "../../../data/company.ts";
import { changeQuery, route } from "../../../data/route.ts";
import type { Agent, Sender, TemplateSummary } from "../../../data/sdk.ts";
import type { List } from "../../../data/list.ts";
import { ButtonLink } from "../../../components/button.tsx";
import { Empty } from "../../../components/empty.tsx";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { Select } from "../../../components/form/fields.tsx";
import { phone } from "../../../i18n/format.ts";
import { words } from "../../../i18n/words.ts";

export interface MessageLists {
  templates: List<TemplateSummary>;
  agents: Agent[] | undefined;
  /** Those that can send. */
  senders: Sender[] | undefined;
}

/** The message or the agent, and the number it comes from. The choices are in the address. */
export function MessageStep({ lists, senders, senderId }: {
  lists: MessageLists;
  /** Those of the message's channel and account. */
  senders: Sender[];
  senderId: string | undefined;
}) {
  const { channel = "whatsapp", template, agent } = route.value.query;
  const names = words().compose;
  const { templates, agents } = lists;
  const hasVoice = lists.senders?.some((each) => each.channel === "voice");
  const approved = templates.rows?.filter(({ status }) => status === "approved") ?? [];
  return (
    <section class="step">
      <h2>{names.message}</h2>
      {templates.problem && <ErrorNotice problem={templates.problem} onRetry={templates.reload} />}
      <div class="form">
        <div class="form-row">
          {hasVoice && (
            <Select
              label={names.channel}
              value={channel}
              options={[["whatsapp", words().common.channels.whatsapp], [
                "voice",
                words().common.channels.voice,
              ]]}
              onChange={(value) => changeQuery({ channel: value, sender: undefined })}
            />
          )}
          {channel === "voice"
            ? (
              <Select
                label={names.agent}
                value={agent ?? ""}
                help={agents?.length === 0 ? names.noAgents : undefined}
                options={[
                  ["", names.choose],
                  ...(agents ?? []).map((each) => [each.agent_id, each.name] as const),
                ]}
                onChange={(value) => changeQuery({ agent: value })}
              />
            )
            : (
              <Select
                label={names.template}
                value={template ?? ""}
                help={names.templateHelp}
                options={[
                  ["", names.choose],
                  ...approved.map(({ template_id, name, language }) =>
                    [template_id, `${name} (${language})`] as const
                  ),
                ]}
                onChange={(value) => changeQuery({ template: value, sender: undefined })}
              />
            )}
          <Select
            label={names.sender}
            value={senderId ?? ""}
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
