import { useEffect, useState } from "preact/hooks";
import { changeQuery } from "../../data/route.ts";
import { Button } from "../../components/button.tsx";
import { FileProblem } from "../../components/form/file_problem.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { guessVariables, wrongVariables } from "./steps/agent_variables.ts";
import { CheckResult } from "./check/check_result.tsx";
import type { ContactFile } from "./upload/contact_file.ts";
import { type Choices, missingFields, numberColumn } from "./draft.ts";
import { fieldLabel } from "./steps/field_label.ts";
import { guessSources } from "./steps/guess_columns.ts";
import { MappingStep } from "./steps/mapping_step.tsx";
import { MessageStep } from "./steps/message_step.tsx";
import { PeopleStep } from "./steps/people_step.tsx";
import { Preview } from "./preview.tsx";
import { SendUpload } from "./upload/send_upload.tsx";
import { TestSend } from "./check/test_send.tsx";
import { Unfinished } from "./upload/unfinished.tsx";
import { type Checked, useCheck } from "./check/use_check.ts";
import { type Chosen, useChosen } from "./use_content.ts";
import { WhenStep } from "./steps/when_step.tsx";
import { words } from "../../i18n/words.ts";

const NO_CHOICES: Choices = {
  sources: {},
  variables: {},
  campaignName: "",
  type: undefined,
  isLater: false,
  at: "",
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  duplicates: "refuse",
  country: undefined,
};

/** Message, people, what fills the message, and when: then a check of all rows, and a question before it leaves. */
export function Compose({ onBegin }: { onBegin: (uploadId: string) => void }) {
  const chosen = useChosen();
  const [file, setFile] = useState<ContactFile>();
  const [choices, setChoices] = useState(NO_CHOICES);
  const [isAsked, setAsked] = useState(false);
  const [sending, setSending] = useState<{ checked: Checked; name: string }>();
  const { content, sender } = chosen;
  const change = (part: Partial<Choices>) => setChoices((before) => ({ ...before, ...part }));

  // Another message or another file needs other columns.
  const contentId = content &&
    (content.channel === "whatsapp" ? content.template.template_id : content.agent.agent_id);
  useEffect(() => {
    if (!content || !file) return;
    const values = content.channel === "whatsapp" ? content.template.values : [];
    change({ sources: guessSources(file, values), variables: guessVariables(file.columns) });
  }, [contentId, file]);

  const ready = content && sender && file ? { content, sender, file, choices } : undefined;
  const missing = missingOf(chosen, file, choices);
  const { checked, isOld, isChecking, problem, check } = useCheck(ready);

  function takeFile(next: ContactFile | undefined): void {
    setFile(next);
    if (next?.name && choices.campaignName === "") change({ campaignName: next.name.replace(/\.\w+$/, "") });
  }

  async function checkAll(): Promise<void> {
    setAsked(true);
    if (missing.length === 0) await check();
  }

  function send(): void {
    if (!checked) return;
    onBegin(checked.uploadId);
    // A page that is loaded anew finds the upload here.
    changeQuery({ upload: checked.uploadId, code: undefined });
    setSending({ checked, name: choices.campaignName.trim() });
  }

  if (sending) {
    const { checked: { uploadId, file, dryRun: { rows } }, name } = sending;
    return <SendUpload {...{ uploadId, file, rows, name }} />;
  }
  const names = words().compose;
  return (
    <>
      <PageHead title={names.title} />
      <Unfinished />
      <div class="beside">
        <div>
          <MessageStep lists={chosen.lists} senders={chosen.senders} senderId={sender?.sender_id} />
          <PeopleStep file={file} onFile={takeFile} />
          <MappingStep
            content={content}
            file={file}
            sender={sender}
            choices={choices}
            missing={isAsked && content ? missingFields({ content, choices }) : []}
            onChange={change}
          />
          <WhenStep
            choices={choices}
            content={content}
            missing={{
              name: isAsked && choices.campaignName.trim() === "",
              at: isAsked && choices.at === "",
            }}
            onChange={change}
          />
        </div>
        <aside>
          <Preview content={content} file={file} sources={choices.sources} />
          {ready && missing.every((each) => each === names.needs.at || each === names.needs.name) && (
            <TestSend ready={ready} />
          )}
        </aside>
        <div class="after">
          <div class="step-end">
            {isAsked && missing.length > 0 && (
              <p class="error" role="alert">{names.missing(missing.join(", "))}</p>
            )}
            {problem && <FileProblem problem={problem} />}
            {isChecking && <p role="status">{names.checking}</p>}
            {!checked && (
              <div class="form-end">
                <Button kind="main" disabled={isChecking} onPress={checkAll}>
                  {isOld ? names.checkAgain : names.check}
                </Button>
                <span class="help">{names.checkFirst}</span>
              </div>
            )}
          </div>
          {checked && ready && <CheckResult dryRun={checked.dryRun} ready={ready} onSend={send} />}
        </div>
      </div>
    </>
  );
}

/** Names what is still to be filled in. */
function missingOf({ content, sender }: Chosen, file: ContactFile | undefined, choices: Choices): string[] {
  const { needs } = words().compose;
  const ofTemplate = content?.channel === "whatsapp"
    ? content.template
    : { components: [], parameter_format: "POSITIONAL" as const };
  return [
    ...(content ? [] : [needs.message]),
    ...(sender ? [] : [needs.sender]),
    ...(file ? [] : [needs.file]),
    ...(content && file
      ? missingFields({ content, choices }).map((name) => fieldLabel(name, ofTemplate))
      : []),
    ...(content?.channel === "voice" &&
        wrongVariables(choices.variables, numberColumn(choices.sources)).size > 0
      ? [needs.variables]
      : []),
    ...(choices.campaignName.trim() === "" ? [needs.name] : []),
    ...(choices.isLater && choices.at === "" ? [needs.at] : []),
  ];
}
