import { useEffect, useState } from "preact/hooks";
import { api, ask, isAbort } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { Problem } from "../../data/problem.ts";
import { saveFile } from "../../data/save_file.ts";
import { type CallDetails, getCallRecording } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { words } from "../../i18n/words.ts";

/** An hour of sound over a slow line. A failure shows at once: the button is there to press again. */
const LIMITS = { timeoutMs: 900_000, totalMs: 900_000, retries: 0 };

/** The recording of a call, loaded when the member wants to listen to it. */
export function Recording({ call }: { call: CallDetails }) {
  const [file, setFile] = useState<Blob>();
  const [problem, setProblem] = useState<Problem>();
  const [leaving] = useState(() => new AbortController());
  const names = words().call;
  useEffect(() => () => leaving.abort(), []);

  async function load(): Promise<void> {
    setProblem(undefined);
    try {
      setFile(await readRecording(call.notification_id, leaving.signal));
    } catch (error) {
      if (isAbort(error)) return;
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }

  if (call.ongoing) return <p class="facts">{names.later}</p>;
  if (!mayBeRecorded(call) || problem?.code === "not_found") return <p class="facts">{names.noRecording}</p>;
  if (file) return <Player file={file} name={`call-${call.notification_id}.${endingOf(file)}`} />;
  return (
    <>
      {problem && <ErrorNotice problem={problem} />}
      <Button icon="play" onPress={load}>{names.play}</Button>
    </>
  );
}

function Player({ file, name }: { file: Blob; name: string }) {
  const [address, setAddress] = useState<string>();
  const names = words().call;
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return (
    <div class="recording">
      <audio controls autoplay src={address} aria-label={names.recording} />
      <Button icon="download" onPress={() => saveFile(name, file)}>{names.download}</Button>
    </div>
  );
}

/** The others were not taken, or the person was erased. */
function mayBeRecorded({ number, conversation_id, outcome }: CallDetails): boolean {
  return number !== null && conversation_id !== null && outcome !== "busy" && outcome !== "no_answer";
}

async function readRecording(notification_id: string, signal: AbortSignal): Promise<Blob> {
  const path = { company_id: companyId(), notification_id };
  const request = { client: api(), path, signal, meta: { ...LIMITS } };
  return await ask(getCallRecording({ ...request, parseAs: "blob" })) as unknown as Blob;
}

function endingOf({ type }: Blob): string {
  return type === "audio/mpeg" ? "mp3" : type.slice("audio/".length);
}
