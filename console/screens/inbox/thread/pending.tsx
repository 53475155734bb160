import { Button } from "../../../components/button.tsx";
import { describeProblem } from "../../../components/error_notice.tsx";
import { Icon } from "../../../components/icon.tsx";
import { LinkedText } from "../../../components/linked_text.tsx";
import { Time } from "../../../components/time.tsx";
import type { ConversationPath } from "../inbox_data.ts";
import { ChatExtrasView } from "./chat_extras.tsx";
import { dropReply, type PendingReply, resendReply } from "./outbox.ts";
import { words } from "../../../i18n/words.ts";

/** A reply that is being sent, or that was not. */
export function Pending({ reply, path }: { reply: PendingReply; path: ConversationPath }) {
  const { sending, notSent, discard } = words().inbox;
  return (
    <li class="message company pending">
      <span class="unseen">{words().writers.you}</span>
      {reply.media && (
        <p class="media-view document">
          <Icon name="file" />
          <span class="media-name">{reply.media.name}</span>
        </p>
      )}
      {reply.text && (
        <p>
          <LinkedText text={reply.text} />
        </p>
      )}
      {reply.extras && <ChatExtrasView {...reply.extras} />}
      {reply.problem
        ? (
          <div role="alert">
            <p class="error">{notSent} {describeProblem(reply.problem)}</p>
            <Button kind="quiet" icon="again" onPress={() => resendReply(path, reply)}>
              {words().common.retry}
            </Button>
            <Button kind="quiet" onPress={() => dropReply(reply.id)}>{discard}</Button>
          </div>
        )
        : (
          <span class="message-foot">
            <Time at={reply.at} style="clock" />
            <span>{sending}</span>
          </span>
        )}
    </li>
  );
}
