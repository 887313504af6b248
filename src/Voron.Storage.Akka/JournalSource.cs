using Akka.Streams;
using Akka.Streams.Stage;

namespace Voron.Storage.Akka;

/// <summary>
/// A stream of rows in the order of their numbers, read in batches when they are asked for. A live one goes on when a journal has
/// written; another one ends at what was the newest when it began.
/// </summary>
/// <param name="signal">Tells of writes.</param>
/// <param name="first">The number of the first row, asked for when the stream begins.</param>
/// <param name="last">The number of the last row.</param>
/// <param name="newest">The newest number, for a stream that ends there; null for a live one.</param>
/// <param name="read">Reads some rows.</param>
internal sealed class JournalSource<T>(WriteSignal signal, Func<long> first, long last, Func<long>? newest, ReadBatch<T> read)
    : GraphStage<SourceShape<T>>
{
    private readonly Outlet<T> _out = new("JournalSource.out");

    public override SourceShape<T> Shape => new(_out);

    protected override GraphStageLogic CreateLogic(Attributes inheritedAttributes) => new Logic(this, signal, first, last, newest, read);

    private sealed class Logic : GraphStageLogic
    {
        private readonly Outlet<T> _out;
        private readonly WriteSignal _signal;
        private readonly Func<long> _begin;
        private readonly Func<long>? _newest;
        private readonly ReadBatch<T> _read;
        private readonly Queue<T> _buffer = new();
        private readonly Action _wake;
        private long _first;
        private long _last;

        internal Logic(JournalSource<T> source, WriteSignal signal, Func<long> first, long last, Func<long>? newest, ReadBatch<T> read)
            : base(source.Shape)
        {
            (_out, _signal, _begin, _last, _newest, _read) = (source._out, signal, first, last, newest, read);
            _wake = GetAsyncCallback(Advance);
            SetHandler(_out, onPull: Advance);
        }

        public override void PreStart()
        {
            // First the subscription, then the first read: a write between the two is seen twice and not missed.
            _signal.Written += _wake;
            _first = _begin();
            _last = _newest is null ? _last : Math.Min(_last, _newest());
            Advance();
        }

        public override void PostStop() => _signal.Written -= _wake;

        /// <summary>The last element is looked for before it is asked for, so the stream ends with it.</summary>
        private void Advance()
        {
            Fill();
            if (IsAvailable(_out) && _buffer.TryDequeue(out T? next))
            {
                Push(_out, next);
                Fill();
            }

            if (_buffer.Count == 0 && _first > _last)
            {
                CompleteStage();
            }
        }

        private void Fill()
        {
            while (_buffer.Count == 0 && _first <= _last)
            {
                long behind = _read(_first, _last, _buffer);
                if (behind == _first)
                {
                    // Nothing is left now; what a live stream waits for comes with a signal.
                    _first = _newest is null ? _first : _last + 1;
                    return;
                }

                _first = behind;
            }
        }
    }
}
