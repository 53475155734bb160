import { useEffect, useRef, useState } from "preact/hooks";
import { link } from "../../../data/company.ts";
import { navigate } from "../../../data/route.ts";
import { Problem } from "../../../data/problem.ts";
import { Button } from "../../../components/button.tsx";
import { FileProblem } from "../../../components/form/file_problem.tsx";
import { PageHead, Section } from "../../../components/page_head.tsx";
import { Progress } from "../../../components/charts/sparkline.tsx";
import { toast } from "../../../components/dialog/toast.tsx";
import { count } from "../../../i18n/format.ts";
import type { ContactFile } from "./contact_file.ts";
import { sendFile, useUpload } from "./upload.ts";
import { words } from "../../../i18n/words.ts";

/** Sends a file, shows how far it is, and leads to the campaign. What breaks off is continued with a press. */
export function SendUpload({ uploadId, file, name, rows }: {
  uploadId: string;
  file: ContactFile;
  name: string;
  /** How many rows the file has, where that is known. */
  rows?: number | undefined;
}) {
  const { data: upload, reload } = useUpload(uploadId);
  const [problem, setProblem] = useState<Problem>();
  const [isSending, setSending] = useState(true);
  const isLeft = useRef(false);
  const names = words().compose;
  const all = rows ?? file.count;

  async function send(): Promise<void> {
    setProblem(undefined);
    setSending(true);
    try {
      const { accepted, campaign_id } = await sendFile(uploadId, file);
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
  useLeaveWarning(isSending);
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
          : <p class="help">{names.stay}</p>}
        {upload?.campaign_id && (
          <p>
            <a href={link(["campaigns", upload.campaign_id])}>{names.toCampaign}</a>
          </p>
        )}
      </Section>
    </>
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
