import { useEffect, useState } from "preact/hooks";
import { changeQuery, route } from "../../data/route.ts";
import { Problem } from "../../data/problem.ts";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Compose } from "./compose_form.tsx";
import { openDraft, type OpenedDraft } from "./saved/draft_data.ts";
import { ContinueUpload } from "./upload/continue_upload.tsx";
import { words } from "../../i18n/words.ts";

/**
 * A new campaign, a draft of one (`?draft=` names it), or one whose sending broke off (`?upload=`). What this page itself
 * began is shown on.
 */
export default function ComposeScreen() {
  const { upload, draft } = route.value.query;
  const [own, setOwn] = useState<{ upload?: string; draft?: string }>({});
  const [opened, setOpened] = useState<OpenedDraft>();
  const [turn, setTurn] = useState(0);
  // The link to a new campaign, while one is written: that one is stored.
  const isLeft = own.upload ? !upload : own.draft !== undefined && !draft;
  useEffect(() => {
    if (!isLeft) return;
    setOwn({});
    setOpened(undefined);
    setTurn((before) => before + 1);
  }, [isLeft]);
  if (upload && upload !== own.upload) return <ContinueUpload key={upload} uploadId={upload} />;
  if (draft && draft !== own.draft) {
    return (
      <OpenDraft
        key={draft}
        draftId={draft}
        onOpen={(found) => {
          setOpened(found);
          setOwn({ draft });
        }}
      />
    );
  }
  return (
    <Compose
      key={`${turn} ${opened?.stored.draftId}`}
      opened={opened}
      onBegin={setOwn}
      onReload={() => setOwn({})}
    />
  );
}

function OpenDraft({ draftId, onOpen }: { draftId: string; onOpen: (found: OpenedDraft) => void }) {
  const [problem, setProblem] = useState<Problem>();

  async function open(): Promise<void> {
    setProblem(undefined);
    try {
      const found = await openDraft(draftId);
      changeQuery({ ...found.query });
      onOpen(found);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }

  useEffect(() => void open(), [draftId]);
  if (problem) return <ErrorNotice problem={problem} onRetry={open} />;
  return <p class="loading" role="status">{words().common.loading}</p>;
}
