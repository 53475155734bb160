import { useState } from "preact/hooks";
import { route } from "../../data/route.ts";
import { Compose } from "./compose_form.tsx";
import { ContinueUpload } from "./upload/continue_upload.tsx";

/** A new campaign from a file, or one whose file broke off: `?upload=` names it. */
export default function ComposeScreen() {
  const { upload } = route.value.query;
  const [own, setOwn] = useState<string>();
  if (upload && upload !== own) return <ContinueUpload key={upload} uploadId={upload} />;
  return <Compose onBegin={setOwn} />;
}
