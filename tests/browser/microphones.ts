/** Keeps what the page opens, so that a test can take a microphone away, refuse one, or prefer another. */
export const MICROPHONES = `(() => {
  const media = navigator.mediaDevices;
  if (!media) return;
  const [open, list] = [media.getUserMedia.bind(media), media.enumerateDevices.bind(media)];
  Object.assign(globalThis, { opened: [], refusal: undefined, preferred: undefined, plugged: [] });
  media.getUserMedia = async (wanted) => {
    if (refusal) throw new DOMException("No microphone", refusal);
    const audio = preferred ? { deviceId: { exact: preferred } } : wanted.audio;
    const stream = await open({ ...wanted, audio });
    opened.push(...stream.getTracks());
    return stream;
  };
  media.enumerateDevices = async () => [...await list(), ...plugged];
  globalThis.unplug = (name) => {
    refusal = name;
    for (const track of opened.filter(({ readyState }) => readyState === "live")) {
      track.stop();
      track.dispatchEvent(new Event("ended"));
    }
  };
  globalThis.plugIn = () => {
    refusal = undefined;
    plugged.push({ kind: "audioinput", deviceId: "new-" + plugged.length });
    media.dispatchEvent(new Event("devicechange"));
  };
})()`;
