global using FluentAssertions;
global using Xunit;
