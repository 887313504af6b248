namespace Voron.Simulation.Ranges;

/// <summary>The decisions of one step. After each try the last one that has another outcome takes it, until all were tried.</summary>
internal sealed class StepChoice
{
    private readonly List<(byte Chosen, byte Outcomes)> _made = [];
    private int _next;

    internal StepChoice()
    {
    }

    internal StepChoice(byte[] given)
    {
        foreach (byte chosen in given)
        {
            _made.Add((chosen, 0));
        }
    }

    /// <summary>Returns one of this number of outcomes.</summary>
    internal int Next(int outcomes)
    {
        if (outcomes <= 1)
        {
            return 0;
        }

        if (_next == _made.Count)
        {
            _made.Add((0, (byte)outcomes));
        }

        return _made[_next++].Chosen;
    }

    internal bool Chance() => Next(2) == 1;

    internal void Restart() => _next = 0;

    /// <summary>Prepares the next try. Returns false when all were made.</summary>
    internal bool Advance()
    {
        while (_made.Count > 0)
        {
            (byte chosen, byte outcomes) = _made[^1];
            if (chosen + 1 < outcomes)
            {
                _made[^1] = ((byte)(chosen + 1), outcomes);
                return true;
            }

            _made.RemoveAt(_made.Count - 1);
        }

        return false;
    }

    internal byte[] ToArray()
    {
        byte[] chosen = new byte[_made.Count];
        for (int i = 0; i < chosen.Length; i++)
        {
            chosen[i] = _made[i].Chosen;
        }

        return chosen;
    }
}
