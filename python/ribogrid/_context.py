"""Contexts: a device, its threads, and progress."""

import threading
from typing import Any, Callable, Optional, Union

from ._library import check, ffi, lib, text

Progress = Union[None, bool, Callable[[float], Any]]


class _Reporter:
    """What the library calls while it works.  That Python runs then is what lets Ctrl-C stop a
    call: an interrupt, as any exception here, is kept for the caller."""

    def __init__(self, progress: Progress) -> None:
        self.progress: Progress = progress
        self.exception: Optional[BaseException] = None
        self._bar: Any = None

    def report(self, _arg: Any, done: float) -> int:
        if self.progress is True:
            self._show(done)
        elif callable(self.progress):
            self.progress(done)
        return 0

    def keep(self, _kind: Any, exception: BaseException, _traceback: Any) -> None:
        self.exception = exception

    def _show(self, done: float) -> None:
        if self._bar is None:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}")
        self._bar.update(100 * done - self._bar.n)

    def end(self) -> Optional[BaseException]:
        """Return the exception of a call, and forget it."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        exception, self.exception = self.exception, None
        return exception


class Context:
    """A device and its threads.

    The functions of the package use one context per thread of Python, which
    :func:`default_context` returns, unless they are given another one.

    Parameters
    ----------
    device
        ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"cuda:I"``.
    threads
        Threads that compute; 0: all processors.
    memory
        Bytes for pairs that are aligned at a time; 0: 1/16 of what the process may use.
    progress
        A function that is called several times per second with the part of the work that is
        done, of 0 .. 1; or True: a bar of tqdm.  An exception that it raises ends the call.
    guarded
        Result files and models are first read by a child process, so that a file that crashes
        HDF5 raises :class:`InputError`.
    """

    def __init__(self, device: str = "auto", threads: int = 0, memory: int = 0,
                 progress: Progress = None, guarded: bool = False) -> None:
        self._reporter = _Reporter(progress)
        self._callback = ffi.callback("int(void *, double)", self._reporter.report, error=1,
                                      onerror=self._reporter.keep)
        options = ffi.new("rg_context_options_t *")
        lib.rg_context_options_init(options, ffi.sizeof("rg_context_options_t"))
        name = ffi.new("char[]", device.encode())
        options.device = name
        options.threads = threads
        options.memory_bytes = memory
        options.guarded = guarded
        options.progress = self._callback
        out = ffi.new("rg_context_t **")
        check(lib.rg_context_create(options, out), ffi.NULL)
        self._handle = ffi.gc(out[0], lib.rg_context_destroy)

    @property
    def device(self) -> str:
        """The name of the device, as given by its vendor."""
        return text(lib.rg_context_device(self._handle))

    @property
    def threads(self) -> int:
        """The number of threads that compute."""
        return int(lib.rg_context_threads(self._handle))

    @property
    def progress(self) -> Progress:
        """The function that is called while work takes long; it may be replaced."""
        return self._reporter.progress

    @progress.setter
    def progress(self, progress: Progress) -> None:
        self._reporter.progress = progress

    def cancel(self) -> None:
        """Cancel the call in progress, from any thread; it raises :class:`Cancelled`."""
        lib.rg_context_cancel(self._handle)

    def __repr__(self) -> str:
        return f"<ribogrid.Context {self.device!r}, {self.threads} threads>"

    def _run(self, function: Any, *args: Any) -> None:
        """Call the library, and raise what it or a progress function ended with."""
        status = function(*args)
        if status == lib.RG_EBUSY:  # another thread's exception is not for this one
            check(status, self._handle)
        exception = self._reporter.end()
        if exception is not None:
            raise exception
        check(status, self._handle)


    def _run_apart(self, function: Any, *args: Any) -> None:
        """Call the library from a thread of its own: of a function that does not report
        progress for long, so that an interrupt can cancel it."""
        status = []
        thread = threading.Thread(target=lambda: status.append(function(*args)))
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
        except BaseException:
            self.cancel()
            thread.join()
            self._reporter.end()
            raise
        self._run(status.pop)


_local = threading.local()


def default_context() -> Context:
    """Return this thread's context, with the device ``"auto"`` and all processors."""
    if not hasattr(_local, "context"):
        _local.context = Context()
    context: Context = _local.context
    return context


def context_of(context: Optional[Context], device: Optional[str],
               threads: Optional[int]) -> Context:
    """Return the context that a function is given, a new one, or the default."""
    if context is not None:
        if device is not None or threads is not None:
            raise ValueError("device and threads are those of the context; leave them out")
        return context
    if device is None and threads is None:
        return default_context()
    return Context(device or "auto", threads or 0)
