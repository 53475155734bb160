import { useEffect, useRef, useState } from "preact/hooks";
import { link } from "../../../data/company.ts";
import { navigate } from "../../../data/route.ts";
import { Problem } from "../../../data/problem.ts";
import { Button } from "../../../components/button.tsx";
import { FileProblem } from "../../../components/form/file_problem.tsx";
import { PageHead, Section } from "../../../components/page_head.tsx";
import { Progress } from "../../../components/charts/progress.tsx";
import { toast } from "../../../components/dialog/toast.tsx";
import { count } from "../../../i18n/format.ts";
import { isStored, type People } from "../draft.ts";
import { sendFile, sendToAudience, useUpload } from "./upload.ts";
import { words } from "../../../i18n/words.ts";

interface SendUploadProps {
  uploadId: string;
  people: People;
  name: string;
  /** How many rows there are, where that is known. */
  rows?: number | undefined;
}

/** Sends to the people of a file or of an audience, shows how far it is, and leads to the campaign. */
export function SendUpload(props: SendUploadProps) {
  return isStored(props.people) ? <SendToAudience {...props} isNew /> : <SendFile {...props} />;
}

/** An upload that breaks off is continued with a press. */
function SendFile({ uploadId, people, name, rows }: SendUploadProps) {
  const { data: upload, reload } = useUpload(uploadId);
  const [problem, setProblem] = useState<Problem>();
  const [isSending, setSending] = useState(true);
  /** Whether the service has the whole file. */
  const [isOver, setOver] = useState(false);
  const isLeft = useRef(false);
  const names = words().compose;
  const file = people as Exclude<People, { audience: unknown }>;
  const all = rows ?? file.count;

  async function send(): Promise<void> {
    setProblem(undefined);
    setSending(true);
    setOver(false);
    try {
      const { accepted, campaign_id } = await sendFile(uploadId, file, (share) => setOver(share === 1));
      toast(names.accepted(accepted));
      if (campaign_id && !isLeft.current) navigate(link(["campaigns", campaign_id]));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      reload();
    } finally {
      setSending(false);
    }
  }

  useEffect(() => {
    void send();
    return () => {
      isLeft.current = true;
    };
  }, []);
  useLeaveWarning(isSending && !isOver);
  return (
    <>
      <PageHead title={name} />
      <Section title={problem ? names.stopped : names.sending}>
        <Progress label={names.sending} done={upload?.rows ?? 0} whole={all} />
        <p role="status">
          {names.progress(count(upload?.rows ?? 0), Math.max(all, upload?.rows ?? 0))}
        </p>
        {problem
          ? (
            <>
              <FileProblem problem={problem} />
              <p>{names.stoppedHelp(upload?.rows ?? 0)}</p>
              <div class="form-end step-end">
                <Button kind="main" icon="again" onPress={send}>{names.continue}</Button>
              </div>
            </>
          )
          : <p class="help">{isOver ? names.over : names.stay}</p>}
        <CampaignLink id={upload?.campaign_id} />
      </Section>
    </>
  );
}

/** The service goes on by itself, whether this page is open or not. */
export function SendToAudience({ uploadId, name, isNew }: Pick<SendUploadProps, "uploadId" | "name"> & {
  /** Whether it is to be started; one that stopped is started again with a press. */
  isNew: boolean;
}) {
  const { data: upload, reload } = useUpload(uploadId);
  const [problem, setProblem] = useState<Problem>();
  const names = words().compose;
  const stopped = upload?.stopped;
  const shown = problem ?? (stopped ? new Problem(stopped.code, stopped.message) : undefined);

  async function start(): Promise<void> {
    setProblem(undefined);
    try {
      await sendToAudience(uploadId);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
    reload();
  }

  useEffect(() => {
    if (isNew) void start();
  }, []);
  const campaignId = upload?.campaign_id;
  useEffect(() => {
    if (isNew && campaignId) navigate(link(["campaigns", campaignId]));
  }, [campaignId]);
  return (
    <>
      <PageHead title={name} />
      <Section title={shown ? names.stopped : names.audience.storing}>
        <Progress label={names.audience.storing} done={upload?.rows ?? 0} whole={upload?.members ?? 0} />
        <p role="status">{names.progress(count(upload?.rows ?? 0), upload?.members ?? 0)}</p>
        {shown
          ? (
            <>
              <FileProblem problem={shown} />
              <div class="form-end step-end">
                <Button kind="main" icon="again" onPress={start}>{names.audience.startAgain}</Button>
              </div>
            </>
          )
          : <p class="help">{names.audience.storingHelp}</p>}
        <CampaignLink id={campaignId} />
      </Section>
    </>
  );
}

function CampaignLink({ id }: { id: string | null | undefined }) {
  if (!id) return null;
  return (
    <p>
      <a href={link(["campaigns", id])}>{words().compose.toCampaign}</a>
    </p>
  );
}

/** Until the file is through, the browser asks before the page is left. */
function useLeaveWarning(isSending: boolean): void {
  useEffect(() => {
    if (!isSending) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isSending]);
}
