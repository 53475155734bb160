import { useEffect, useRef, useState } from "preact/hooks";
import { link } from "../../data/company.ts";
import { changeQuery, navigate, route } from "../../data/route.ts";
import { ownZone } from "../../data/zoned_time.ts";
import { Button } from "../../components/button.tsx";
import { FileProblem } from "../../components/form/file_problem.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { CheckResult } from "./check/check_result.tsx";
import { TestSend } from "./check/test_send.tsx";
import { type Checked, useCheck } from "./check/use_check.ts";
import { type Choices, isStored, missingFields, type Ready, typeOf, unreadyPlan } from "./draft.ts";
import { missingOf } from "./missing.ts";
import { Preview } from "./preview.tsx";
import type { OpenedDraft } from "./saved/draft_data.ts";
import { DraftList } from "./saved/draft_list.tsx";
import { SaveState } from "./saved/save_state.tsx";
import { useAutosave } from "./saved/use_autosave.ts";
import { useStoredPeople } from "./steps/audience_data.ts";
import { adaptSources, adaptVariables } from "./steps/guess_columns.ts";
import { MappingStep } from "./steps/mapping_step.tsx";
import { MessageStep } from "./steps/message_step.tsx";
import { PeopleStep } from "./steps/people_step.tsx";
import { WhenStep } from "./steps/when_step.tsx";
import type { ContactFile } from "./upload/contact_file.ts";
import { SendUpload } from "./upload/send_upload.tsx";
import { Unfinished } from "./upload/unfinished.tsx";
import { useChosen } from "./use_content.ts";
import { words } from "../../i18n/words.ts";

const NO_CHOICES: Choices = {
  audience: undefined,
  sources: {},
  variables: {},
  kept: [],
  campaignName: "",
  type: undefined,
  start: "now",
  at: "",
  zone: ownZone(),
  hour: "09:00",
  day: "",
  spreadHours: 0,
  duplicates: "refuse",
  country: undefined,
};

/** Message, people, what fills the message, and when: then a check of everyone, and a question before it leaves. */
export function Compose({ opened, onBegin, onReload }: {
  /** The draft that is gone on with. */
  opened: OpenedDraft | undefined;
  /** Called with what this page has made, before it is in the address. */
  onBegin: (begun: { upload?: string; draft?: string }) => void;
  onReload: () => void;
}) {
  const chosen = useChosen();
  const [file, setFile] = useState<ContactFile>();
  const [choices, setChoices] = useState<Choices>({ ...NO_CHOICES, ...opened?.choices });
  const [isTouched, setTouched] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const [sending, setSending] = useState<{ checked: Checked; name: string }>();
  const { content, sender } = chosen;
  const stored = useStoredPeople(choices.audience);
  const people = choices.audience ? stored : file;
  const names = words().compose;

  function change(part: Partial<Choices>): void {
    setTouched(true);
    setChoices((before) => ({ ...before, ...part }));
  }

  // Another message or other people need other columns.
  const contentId = content &&
    (content.channel === "whatsapp" ? content.template.template_id : content.agent.agent_id);
  const columns = people?.columns.join("\n");
  const mappedFor = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (!content || !people) return;
    const values = content.channel === "whatsapp" ? content.template.values : [];
    const isOther = mappedFor.current !== undefined && mappedFor.current !== contentId;
    mappedFor.current = contentId;
    setChoices((before) => ({
      ...before,
      sources: adaptSources(people, values, isOther ? {} : before.sources),
      variables: adaptVariables(people, before.variables),
      kept: before.kept.filter((column) => people.columns.includes(column)),
    }));
  }, [contentId, columns, people !== undefined && isStored(people)]);

  const ready: Ready | undefined = content && sender && people && { content, sender, people, choices };
  const missing = missingOf(chosen, people, choices);
  const { checked, isOld, isChecking, problem, check } = useCheck(ready);
  const isBegun = isTouched &&
    (content !== undefined || people !== undefined || choices.campaignName.trim() !== "");
  const draft = isBegun
    ? {
      name: choices.campaignName.trim() || names.drafts.unnamed,
      plan: unreadyPlan({ content, sender: content && sender, choices }),
    }
    : undefined;
  const autosave = useAutosave(opened?.stored, draft, (draft) => onBegin({ draft }));

  function takeFile(next: ContactFile): void {
    setFile(next);
    const isNamed = choices.campaignName !== "" || !next.name;
    change(isNamed ? {} : { campaignName: next.name.replace(/\.\w+$/, "") });
  }

  async function checkAll(): Promise<void> {
    setAsked(true);
    if (missing.length > 0 || !await check()) return;
    // The browser's way back leads to the form.
    navigate(link(["compose"], { ...route.value.query, step: CHECK }));
    scrollTo(0, 0);
  }

  async function send(): Promise<void> {
    if (!checked) return;
    await autosave.end();
    onBegin({ upload: checked.uploadId });
    // A page that is loaded anew finds the upload here.
    changeQuery({ upload: checked.uploadId, code: undefined, step: undefined, draft: undefined });
    setSending({ checked, name: choices.campaignName.trim() });
  }

  if (sending) {
    const { checked: { uploadId, people, dryRun: { rows } }, name } = sending;
    return <SendUpload {...{ uploadId, people, rows, name }} />;
  }
  if (route.value.query.step === CHECK && checked && ready) {
    return (
      <>
        <PageHead
          title={choices.campaignName.trim()}
          actions={
            <Button icon="left" onPress={() => changeQuery({ step: undefined, code: undefined })}>
              {names.backToEdit}
            </Button>
          }
        />
        <CheckResult checked={checked} ready={ready} onSend={send} />
      </>
    );
  }
  const channel = route.value.query.channel === "voice" ? "voice" : "whatsapp";
  const kind = content ? typeOf(content, choices.type) : choices.type;
  const isNeeded = (each: string) => ![names.needs.at, names.needs.hour, names.needs.name].includes(each);
  return (
    <>
      <PageHead title={names.title} />
      <div class="beside">
        <div onChangeCapture={() => setTouched(true)}>
          <MessageStep {...chosen} />
          <PeopleStep
            file={file}
            isFileLost={opened !== undefined && file === undefined && choices.sources.number !== undefined}
            audience={choices.audience}
            counted={{ channel, category: kind === "marketing" ? "marketing" : "all" }}
            onFile={takeFile}
            onAudience={(audience) => change({ audience })}
          />
          <MappingStep
            content={content}
            people={people}
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
              at: isAsked && missing.some((each) => each === names.needs.at || each === names.needs.hour),
            }}
            onChange={change}
          />
        </div>
        {/* What is read later stands here, not above the form: a button that moves as it is pressed is not pressed. */}
        <aside>
          <Unfinished />
          <Preview content={content} people={people} sources={choices.sources} />
          {ready && !missing.some(isNeeded) && <TestSend ready={ready} saveDraft={autosave.flush} />}
          {!opened && <DraftList />}
        </aside>
        <div class="after">
          <div class="step-end">
            {isAsked && missing.length > 0 && (
              <p class="error" role="alert">{names.missing(missing.join(", "))}</p>
            )}
            {problem && <FileProblem problem={problem} />}
            {isChecking && <p role="status">{names.checking}</p>}
            <div class="form-end">
              <Button kind="main" disabled={isChecking} onPress={checkAll}>
                {isOld ? names.checkAgain : choices.audience ? names.checkPeople : names.check}
              </Button>
              <span class="help">{names.checkFirst}</span>
            </div>
            <SaveState autosave={autosave} onReload={onReload} />
          </div>
        </div>
      </div>
    </>
  );
}

/** In the address, while the result of the check is shown. */
const CHECK = "check";
